import { type RawBuilder, sql } from "kysely";
import type { Parameters } from "../db/statement.ts";

// Fragments of the statement that records a redemption. `claim` names a CTE with the redeemed claim's tenant_id,
// intended_device_type_id, intended_group_ids, for a new device also its device_name; `device` one with device_uid,
// tenant_id, device_id.

/**
 * The parameters of {@link insertEnrolledDevice} and {@link updateEnrolledDevice}: the identity and the reported
 * fields.
 */
export interface EnrolledDeviceValues {
  deviceUid: string;
  deviceId: string;
  hardwareFingerprint: string;
  /** The fingerprint in the form used for comparison. */
  fingerprintKey: string;
  hardwareModel: string;
  agentVersion: string;
  agentCapabilities: readonly string[] | null;
  macAddress: string | null;
  now: Date;
}

/** The certificate that a device is enrolled with, which determines its certificate state. */
export interface FirstCertificateValues {
  certificateKind: string;
  notAfter: Date;
  renewAfter: Date | null;
}

/**
 * Returns SQL that adds the device that a claim enrolls, in the state of its first certificate: the trigger
 * `certificates_added` updates a device only if that differs. It yields `device_uid`, `tenant_id`, `device_id`.
 */
export function insertEnrolledDevice(
  p: Parameters<EnrolledDeviceValues & FirstCertificateValues>,
  claim: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    INSERT INTO devices (uid, tenant_id, id, name, device_type_id, hardware_fingerprint, fingerprint_key,
      hardware_model, agent_version, agent_capabilities, mac_address, created_at, updated_at,
      certificate_until, certificate_kind, certificate_renew_after, certificate_revoked)
    SELECT ${p.deviceUid}::uuid, c.tenant_id, ${p.deviceId}::text, c.device_name, c.intended_device_type_id,
      ${p.hardwareFingerprint}::text, ${p.fingerprintKey}::text, ${p.hardwareModel}::text, ${p.agentVersion}::text,
      coalesce(${p.agentCapabilities}::text[], '{}'), ${p.macAddress}::text, ${p.now}::timestamptz,
      ${p.now}::timestamptz, ${p.notAfter}::timestamptz, ${p.certificateKind}::text, ${p.renewAfter}::timestamptz, false
    FROM ${claim} c
    RETURNING uid AS device_uid, tenant_id, id AS device_id`;
}

/**
 * Returns SQL that updates, and so locks, a device that enrolls again. Fields that it did not report stay. It yields
 * the columns of {@link insertEnrolledDevice}, or no row when the device was deleted or has another fingerprint. Fires
 * `devices_seen_or_of_another_type`, `devices_type_changed`.
 */
export function updateEnrolledDevice(
  p: Parameters<EnrolledDeviceValues>,
  claim: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    UPDATE devices d SET device_type_id = coalesce(c.intended_device_type_id, d.device_type_id),
      hardware_fingerprint = ${p.hardwareFingerprint}::text, hardware_model = ${p.hardwareModel}::text,
      agent_version = ${p.agentVersion}::text,
      agent_capabilities = coalesce(${p.agentCapabilities}::text[], d.agent_capabilities),
      mac_address = coalesce(${p.macAddress}::text, d.mac_address), updated_at = ${p.now}::timestamptz
    FROM ${claim} c
    WHERE d.uid = ${p.deviceUid}::uuid AND d.tenant_id = c.tenant_id AND d.id = ${p.deviceId}::text
      AND d.fingerprint_key = ${p.fingerprintKey}::text AND d.deleted_at IS NULL
    RETURNING d.uid AS device_uid, d.tenant_id, d.id AS device_id`;
}

/**
 * Returns SQL that adds devices to the intended groups of their claims, without groups that no longer exist.
 *
 * @param enrolled FROM item whose rows have `device_uid`, `tenant_id` and `intended_group_ids`
 */
export function joinIntendedGroups(enrolled: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    INSERT INTO device_groups (device_uid, group_id)
    SELECT s.device_uid, g.id FROM ${enrolled} s JOIN shared_groups g ON g.tenant_id = s.tenant_id AND g.id = ANY (s.intended_group_ids)
    ON CONFLICT DO NOTHING`;
}

/** Returns SQL that removes the device from all other groups, unless the claim intends none. */
export function leaveOtherGroups(device: RawBuilder<unknown>, claim: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    DELETE FROM device_groups g USING ${device} s, ${claim} c
    WHERE g.device_uid = s.device_uid AND NOT g.group_id = ANY (c.intended_group_ids)`;
}

/**
 * Returns SQL that locks the rows of live devices, in the order of their ids. It yields their `uid` and
 * `device_type_id`, without deleted devices.
 *
 * @param uids a query in parentheses
 * @param locked whether rows that another transaction has locked are awaited or skipped
 */
export function lockLiveDevices(uids: RawBuilder<unknown>, locked: "awaited" | "skipped"): RawBuilder<unknown> {
  return sql`SELECT uid, device_type_id FROM devices WHERE uid = ANY (ARRAY${uids}) AND deleted_at IS NULL
    ORDER BY uid FOR NO KEY UPDATE ${sql.raw(locked === "skipped" ? "SKIP LOCKED" : "")}`;
}
