import { common } from "#texts/common.ts";
import { t } from "#texts/words.ts";
import type { Schemas } from "../api/client.ts";
import type { Tone } from "../ui/theme/tones.ts";

export const HISTORY = {
  "device.online": ["good", common.connected],
  "device.offline": ["neutral", t.disconnected],
  "certificate.issued": ["accent", t.certificateIssued],
  "certificate.revoked": ["bad", t.certificateRevoked],
  "anomaly.opened": ["warn", t.anomalyOpened],
  "anomaly.resolved": ["good", t.anomalyResolved],
  "ticket.opened": ["accent", t.ticketOpened],
  "connection.refused": ["bad", t.connectionRefused],
  "finding.shared_key": ["warn", t.keySharedWithAnotherDevice],
} as const satisfies Record<Schemas["TimelineEntry"]["kind"], readonly [tone: Tone, label: string]>;
