import { boundedToGroupsOf, useCase } from "../access/access.ts";
import { notFound } from "../lib/request-errors.ts";
import type { CertificateState } from "./certificate-state-store.ts";
import type { DevicesDeps } from "./deps.ts";
import { type Connectivity, type DeviceRow, findDevice } from "./device-view-store.ts";

export interface DeviceRecord {
  id: string;
  name: string;
  description: string;
  deviceTypeId: string | null;
  groupIds: string[];
  thresholdIds: string[];
  metadata: Record<string, unknown>;
  hardwareFingerprint: string | null;
  hardwareModel: string | null;
  agentVersion: string | null;
  agentCapabilities: string[];
  macAddress: string | null;
  connectivity: { status: Connectivity; since: Date | null; reason: string | null };
  lastSeenAt: Date | null;
  certificateState: CertificateState;
  createdAt: Date;
  updatedAt: Date;
}

/** @throws MusterError not_found */
export const getDevice = useCase(
  { scope: "devices:read", role: "viewer" },
  async (deps: DevicesDeps, caller, id: string): Promise<DeviceRecord> => {
    const filter = { viewer: boundedToGroupsOf(caller) };
    const row = id.includes("\0")
      ? undefined
      : await findDevice(deps.database.db, caller.tenantId, id, filter, deps.clock.now());
    if (!row) throw notFound("device");
    return toRecord(row);
  },
);

/** Converts a row to the record that the API shows. */
export function toRecord(row: DeviceRow): DeviceRecord {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    deviceTypeId: row.device_type_id,
    groupIds: row.group_ids,
    thresholdIds: row.threshold_ids,
    metadata: row.metadata,
    hardwareFingerprint: row.hardware_fingerprint,
    hardwareModel: row.hardware_model,
    agentVersion: row.agent_version,
    agentCapabilities: row.agent_capabilities,
    macAddress: row.mac_address,
    connectivity: { status: row.connectivity, since: row.connectivity_since, reason: row.connectivity_reason },
    lastSeenAt: row.last_seen_at,
    certificateState: row.certificate_state,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
