import type { Schemas } from "../api/client.ts";
import type { Tone } from "../ui/theme/tones.ts";

export const HISTORY = {
  "device.online": ["good", "Connected"],
  "device.offline": ["neutral", "Disconnected"],
  "certificate.issued": ["accent", "Certificate issued"],
  "certificate.revoked": ["bad", "Certificate revoked"],
  "anomaly.opened": ["warn", "Anomaly opened"],
  "anomaly.resolved": ["good", "Anomaly resolved"],
  "ticket.opened": ["accent", "Ticket opened"],
  "connection.refused": ["bad", "Connection refused"],
  "finding.shared_key": ["warn", "Key shared with another device"],
} as const satisfies Record<Schemas["TimelineEntry"]["kind"], readonly [tone: Tone, label: string]>;
