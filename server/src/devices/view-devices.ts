import { boundedToGroupsOf, useCase } from "../access/access.ts";
import { isUuid } from "../lib/ids.ts";
import type { Page, PageRequest } from "../lib/page.ts";
import { notFound } from "../lib/request-errors.ts";
import type { DevicesDeps } from "./deps.ts";
import {
  type CertificateState,
  type Connectivity,
  type DeviceRow,
  findDevice,
  listDeviceRows,
} from "./device-view-store.ts";

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

export interface DeviceQuery extends PageRequest {
  groupId?: string | undefined;
  deviceTypeId?: string | undefined;
  connectivity?: Connectivity | undefined;
  /** A part of the id or the name, in any case. */
  q?: string | undefined;
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

/** Newest first. A group or type that is not the tenant's matches nothing. */
export const listDevices = useCase(
  { scope: "devices:read", role: "viewer" },
  async (deps: DevicesDeps, caller, query: DeviceQuery): Promise<Page<DeviceRecord>> => {
    const { skip, limit, ...filter } = query;
    const impossible = [query.groupId, query.deviceTypeId].some((id) => id !== undefined && !isUuid(id));
    if (impossible || query.q?.includes("\0")) return { items: [], total: 0, skip, limit };
    const bounded = { ...filter, viewer: boundedToGroupsOf(caller) };
    const { db } = deps.database;
    const { rows, total } = await listDeviceRows(db, caller.tenantId, bounded, { skip, limit }, deps.clock.now());
    return { items: rows.map(toRecord), total, skip, limit };
  },
);

/** The record as the API shows it. */
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
