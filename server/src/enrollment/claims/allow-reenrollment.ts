import { adminUseCase, type PreparedChange } from "../../access/access.ts";
import { addMs, MINUTE } from "../../lib/clock.ts";
import { isDeviceId } from "../../lib/ids.ts";
import { invalidRequest, notFound } from "../../lib/request-errors.ts";
import type { EnrollmentDeps } from "../deps.ts";
import { type ClaimRecord, toClaimRecord } from "./claim-record.ts";
import { findClaim, findEnrolled, insertClaim, revokeClaimsOfDevice } from "./claim-store.ts";
import { claimMinutes, drawClaim } from "./draw-claim.ts";

/**
 * Creates a claim bound to a device that enrolled before: the device may enroll again with it, without a certificate as
 * proof, and keeps its id, records and telemetry. Nothing is revoked. An earlier pending claim of this kind ends.
 *
 * @throws MusterError not_found; invalid_request for a device that never enrolled itself; invalid_claim_request;
 * quota_exceeded
 */
export const allowReenrollment = adminUseCase(
  { role: "admin" },
  "device.allow-reenrollment",
  async (
    deps: EnrollmentDeps,
    caller,
    deviceId: string,
    { expiresInMinutes }: { expiresInMinutes?: number | undefined } = {},
  ): Promise<PreparedChange<ClaimRecord & { claimCode: string }>> => {
    const minutes = claimMinutes(expiresInMinutes);
    if (!isDeviceId(deviceId)) throw notFound("device");
    const { tenantId, actor } = caller;
    const now = deps.clock.now();
    return {
      admitted: (run) => deps.quotas.addOne(tenantId, "openClaims", run),
      change: async (tx, round = null) => {
        await revokeClaimsOfDevice(tx, tenantId, deviceId, actor, now);
        const device = await findEnrolled(tx, tenantId, deviceId);
        if (device === undefined) throw notFound("device");
        if (device.fingerprint_key === null)
          throw invalidRequest("the device never enrolled itself: issue a certificate bundle for it", deviceId);
        const { claimCode, row } = drawClaim(deps, actor, now, {
          intended_name: device.name,
          intended_group_ids: null,
          intended_device_type_id: null,
          device_uid: device.uid,
          max_uses: 1,
          expires_at: addMs(now, minutes * MINUTE),
        });
        await insertClaim(tx, tenantId, row, round);
        const record = toClaimRecord((await findClaim(tx, tenantId, row.id))!, now);
        return { target: deviceId, after: record, result: { ...record, claimCode } };
      },
    };
  },
);
