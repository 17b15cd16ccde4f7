import type { Caller } from "../access/access.ts";
import { isUuid } from "../lib/ids.ts";
import { notFound } from "../lib/refusals.ts";
import { plainLine } from "../lib/text.ts";
import type { DevicesDeps } from "./deps.ts";
import { type DeviceTypeRow, findOwner, insertDeviceType, updateDeviceTypeRow } from "./device-type-store.ts";
import { checkTemplates } from "./topics.ts";

export interface DeviceTypeRecord {
  id: string;
  name: string;
  /** Templates relative to the tenant's prefix, e.g. `telemetry/{deviceId}`. */
  publishTopics: string[];
  subscribeTopics: string[];
  createdAt: Date;
  updatedAt: Date;
}

export interface NewDeviceType {
  name: string;
  publishTopics: readonly string[];
  subscribeTopics?: readonly string[] | undefined;
}

/** What is absent stays as it is. */
export type DeviceTypeEdit = { [Field in keyof NewDeviceType]?: NewDeviceType[Field] | undefined };

/** @throws MusterError invalid_request, with a bad template in `detail` */
export async function createDeviceType(
  deps: DevicesDeps,
  caller: Caller,
  input: NewDeviceType,
): Promise<DeviceTypeRecord> {
  const now = deps.clock.now();
  const row: DeviceTypeRow = {
    id: deps.ids.uuid(now),
    name: plainLine("name", input.name),
    publish_topics: checkTemplates(input.publishTopics),
    subscribe_topics: checkTemplates(input.subscribeTopics ?? []),
    created_at: now,
    updated_at: now,
  };
  await insertDeviceType(deps.database.db, caller.tenantId, row);
  return toRecord(row);
}

/**
 * Changes what is given. Topics are stored with each certificate, so a device notices with its next one (spec 7).
 *
 * @throws MusterError not_found, invalid_request
 */
export async function updateDeviceType(
  deps: DevicesDeps,
  caller: Caller,
  id: string,
  input: DeviceTypeEdit,
): Promise<DeviceTypeRecord> {
  const change = {
    name: input.name === undefined ? undefined : plainLine("name", input.name),
    publishTopics: input.publishTopics && checkTemplates(input.publishTopics),
    subscribeTopics: input.subscribeTopics && checkTemplates(input.subscribeTopics),
  };
  const row = isUuid(id)
    ? await updateDeviceTypeRow(deps.database.db, caller.tenantId, id, change, deps.clock.now())
    : undefined;
  if (!row) throw notFound("device type");
  return toRecord(row);
}

/** The slug of the tenant a device type belongs to. @throws MusterError not_found */
export async function tenantOfDeviceType(deps: DevicesDeps, id: string): Promise<string> {
  const slug = isUuid(id) ? await findOwner(deps.database.db, id) : undefined;
  if (slug === undefined) throw notFound("device type");
  return slug;
}

function toRecord(row: DeviceTypeRow): DeviceTypeRecord {
  return {
    id: row.id,
    name: row.name,
    publishTopics: row.publish_topics,
    subscribeTopics: row.subscribe_topics,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
