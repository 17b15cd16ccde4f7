import { refusalCode, violatedUnique } from "../../db/refusal.ts";
import type { EnrolledDeviceValues } from "../../devices/devices.ts";
import type { ReportedHardware } from "../reported-hardware.ts";

/** The common part of first redemptions and re-enrollments. */
export interface Redemption {
  device: { uid: string; id: string };
  reported: ReportedHardware;
  auditId: string;
  now: Date;
}

/**
 * The reason why nothing was written and no use of the claim was counted. `changed`: the claim may not (or no longer)
 * be redeemed for a new device with this fingerprint; the facts say why. `client_id_in_use`: the client id has since
 * been leased elsewhere.
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

/**
 * SQLSTATEs after which a retry may succeed: PostgreSQL broke a deadlock, or a group of the claim was deleted in
 * between. Nothing was written.
 */
const RETRIABLE = ["40P01", "40001", "23503"];

/**
 * Maps an error of a single redemption's statement to its outcome.
 *
 * @throws the error itself if it is a different one
 */
export function outcomeOf(error: unknown): NotRecorded {
  const code = refusalCode(error);
  // The key was blocked after the facts were read; reading them again reveals it.
  if (code === "key_blocked") return "changed";
  if (code === "changed" || code === "client_id_in_use") return code;
  const unique = violatedUnique(error);
  if (unique === "devices_fingerprint") return "changed";
  if (unique === "devices_id") return "client_id_in_use";
  if (RETRIABLE.includes((error as { code?: string }).code ?? "")) return "changed";
  throw error;
}
