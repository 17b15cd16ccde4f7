import { refusalCode, violatedUnique } from "../../db/refusal.ts";
import type { EnrolledDeviceValues } from "../../devices/devices.ts";
import type { ReportedHardware } from "../reported-hardware.ts";

/** What first redemptions and those of devices that enrolled before have in common. */
export interface Redemption {
  device: { uid: string; id: string };
  reported: ReportedHardware;
  auditId: string;
  now: Date;
}

/**
 * `changed`: the claim may not be redeemed for a new device of this fingerprint (any more); reading the facts says why. `client_id_in_use`: the client
 * id was leased to another since. In both cases nothing is written, and no use of the claim is counted.
 */
export type NotRecorded = "changed" | "client_id_in_use";

export function deviceValues({ now, device, reported }: Redemption): EnrolledDeviceValues {
  return {
    deviceUid: device.uid,
    deviceId: device.id,
    hardwareFingerprint: reported.fingerprint,
    fingerprintKey: reported.fingerprintKey,
    hardwareModel: reported.model,
    agentVersion: reported.agentVersion,
    agentCapabilities: reported.capabilities ?? null,
    macAddress: reported.macAddress ?? null,
    now,
  };
}

/** PostgreSQL broke a deadlock, or a group of the claim was deleted in between: nothing is written, and a retry may succeed. */
const RETRIABLE = ["40P01", "40001", "23503"];

/** What an error of the statement of one redemption means. @throws the error, where it is another one */
export function outcomeOf(error: unknown): NotRecorded {
  const code = refusalCode(error);
  // Blocked since the facts were read: they say so when they are read again.
  if (code === "key_blocked") return "changed";
  if (code === "changed" || code === "client_id_in_use") return code;
  const unique = violatedUnique(error);
  if (unique === "devices_fingerprint") return "changed";
  if (unique === "devices_id") return "client_id_in_use";
  if (RETRIABLE.includes((error as { code?: string }).code ?? "")) return "changed";
  throw error;
}
