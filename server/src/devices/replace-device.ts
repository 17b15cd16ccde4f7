import { isDeepStrictEqual } from "node:util";
import { type AccessRule, boundedToGroupsOf, type Caller, requireMay, useCase } from "../access/access.ts";
import { recordWrite } from "../audit/audit.ts";
import { inTransaction } from "../db/transaction.ts";
import { isDeviceId } from "../lib/ids.ts";
import { notFound, preconditionFailed } from "../lib/request-errors.ts";
import { plainLine, plainText } from "../lib/text.ts";
import { assignGroups, assignThresholds, requireDeviceType } from "./assign.ts";
import type { DevicesDeps } from "./deps.ts";
import { lockDevice, replaceDeviceRow } from "./device-store.ts";
import { findDevice } from "./device-view-store.ts";
import { checkMetadata, type Metadata, mergeMetadata } from "./metadata.ts";
import { type DeviceRecord, toRecord } from "./view-devices.ts";

/**
 * The new fields of a device. Absent fields become empty, since this replaces the device (docs/spec-decisions.md,
 * records).
 */
export interface DeviceEdit {
  name: string;
  description?: string | undefined;
  deviceTypeId?: string | null | undefined;
  groupIds?: readonly string[] | undefined;
  thresholdIds?: readonly string[] | undefined;
  metadata?: Metadata | undefined;
}

export interface Precondition {
  /** Evaluates `If-Match` against the record under its lock. */
  matches?: ((record: object) => boolean) | undefined;
}

/**
 * Replaces the editable fields of a device. Its certificates keep their topics until the next one is issued (spec 7).
 *
 * @throws MusterError not_found; insufficient_role; precondition_failed; invalid_request, with an id that is not the
 * tenant's in `detail`
 */
export const replaceDevice = useCase(
  { scope: "devices:write", role: "operator" },
  async (deps: DevicesDeps, caller, id: string, input: DeviceEdit, precondition: Precondition = {}) => {
    const wanted = {
      name: plainLine("name", input.name),
      description: plainText("description", input.description ?? ""),
      deviceTypeId: input.deviceTypeId ?? null,
      groupIds: [...new Set(input.groupIds)],
      thresholdIds: [...new Set(input.thresholdIds)],
      metadata: checkMetadata(input.metadata ?? {}),
    };
    return await editDevice(deps, caller, id, () => wanted, precondition);
  },
);

/** A JSON merge patch (RFC 7396) of a device's editable fields: absent ones stay, `null` empties. */
export interface DevicePatch {
  name?: string | undefined;
  description?: string | null | undefined;
  deviceTypeId?: string | null | undefined;
  groupIds?: readonly string[] | null | undefined;
  thresholdIds?: readonly string[] | null | undefined;
  /** Is merged into the device's metadata, at every level. */
  metadata?: Metadata | null | undefined;
}

/** Changes the given fields of a device. @throws MusterError as {@link replaceDevice} */
export const patchDevice = useCase(
  { scope: "devices:write", role: "operator" },
  async (deps: DevicesDeps, caller, id: string, patch: DevicePatch, precondition: Precondition = {}) => {
    const { deviceTypeId, groupIds, thresholdIds, metadata } = patch;
    const name = patch.name === undefined ? undefined : plainLine("name", patch.name);
    const description = patch.description === undefined ? undefined : plainText("description", patch.description ?? "");
    const wantedOf = (before: DeviceRecord): Wanted => ({
      name: name ?? before.name,
      description: description ?? before.description,
      deviceTypeId: deviceTypeId === undefined ? before.deviceTypeId : deviceTypeId,
      groupIds: groupIds === undefined ? before.groupIds : [...new Set(groupIds)],
      thresholdIds: thresholdIds === undefined ? before.thresholdIds : [...new Set(thresholdIds)],
      metadata: metadata === undefined ? before.metadata : patchedMetadata(before.metadata, metadata),
    });
    return await editDevice(deps, caller, id, wantedOf, precondition);
  },
);

function patchedMetadata(before: Metadata, patch: Metadata | null): Metadata {
  return patch === null ? {} : checkMetadata(mergeMetadata(before, patch));
}

/** The changed fields of a device; absent fields stay. */
export interface DeviceChange {
  name?: string | undefined;
  description?: string | undefined;
  /** Fields that its metadata gets; other fields stay. */
  addMetadata?: Metadata | undefined;
  /** `null` removes the type. */
  deviceTypeId?: string | null | undefined;
  addGroupIds?: readonly string[] | undefined;
  removeGroupIds?: readonly string[] | undefined;
  addThresholdIds?: readonly string[] | undefined;
  removeThresholdIds?: readonly string[] | undefined;
}

/**
 * Changes fields, the type, groups or threshold packs of a device. Removing an id that the device does not have changes
 * nothing.
 *
 * @throws MusterError not_found; insufficient_role; invalid_request, with an id that is not the tenant's in `detail`
 */
export const changeDevice = useCase(
  { role: "operator" },
  async (deps: DevicesDeps, caller, id: string, change: DeviceChange): Promise<DeviceRecord> =>
    await editDevice(deps, caller, id, ({ name, description, metadata, ...before }) => ({
      name: change.name === undefined ? name : plainLine("name", change.name),
      description: change.description === undefined ? description : plainText("description", change.description),
      metadata: change.addMetadata ? checkMetadata({ ...metadata, ...change.addMetadata }) : metadata,
      deviceTypeId: change.deviceTypeId === undefined ? before.deviceTypeId : change.deviceTypeId,
      groupIds: changedIds(before.groupIds, change.addGroupIds, change.removeGroupIds),
      thresholdIds: changedIds(before.thresholdIds, change.addThresholdIds, change.removeThresholdIds),
    })),
);

function changedIds(before: readonly string[], add: readonly string[] = [], remove: readonly string[] = []): string[] {
  const gone = new Set(remove);
  return [...new Set([...before, ...add])].filter((id) => !gone.has(id));
}

/** @param wantedOf computes the new editable fields from those that the device has under its lock */
async function editDevice(
  deps: DevicesDeps,
  caller: Caller,
  id: string,
  wantedOf: (before: DeviceRecord) => Wanted,
  { matches }: Precondition = {},
): Promise<DeviceRecord> {
  const { tenantId } = caller;
  const now = deps.clock.now();
  return await inTransaction(deps.database.db, async (tx) => {
    const uid = isDeviceId(id) ? await lockDevice(tx, tenantId, id, boundedToGroupsOf(caller)) : undefined;
    if (uid === undefined) throw notFound("device");
    const record = async () => toRecord((await findDevice(tx, tenantId, id, {}, now))!);
    const before = await record();
    if (matches && !matches(before)) throw preconditionFailed();
    const wanted = wantedOf(before);
    requireMayAssign(caller, before, wanted);
    const result = isEqual(before, wanted) ? "unchanged" : "updated";
    const write = { resource: "device", id, result, at: now } as const;
    if (result === "unchanged") {
      await recordWrite(tx, caller, write, deps.ids);
      return before;
    }
    const { name, description, metadata, deviceTypeId } = wanted;
    if (deviceTypeId !== null) await requireDeviceType(tx, tenantId, deviceTypeId);
    const row = { name, description, metadata, device_type_id: deviceTypeId, updated_at: now };
    await replaceDeviceRow(tx, tenantId, uid, row);
    await assignGroups(tx, tenantId, uid, wanted.groupIds);
    await assignThresholds(tx, tenantId, uid, wanted.thresholdIds);
    const after = await record();
    await recordWrite(tx, caller, { ...write, before: edited(before), after: edited(after) }, deps.ids);
    return after;
  });
}

/**
 * Restricts changes of groups and type to admins and API keys with the scope. A device's groups decide who sees it, and
 * its type which topics its certificates get.
 *
 * @throws MusterError insufficient_role
 */
function requireMayAssign(caller: Caller, before: DeviceRecord, wanted: Wanted): void {
  if (!sameIds(before.groupIds, wanted.groupIds)) requireMay(caller, ASSIGN, "changing a device's groups");
  if (before.deviceTypeId !== wanted.deviceTypeId) requireMay(caller, ASSIGN, "changing a device's type");
}

const ASSIGN: AccessRule = { scope: "devices:write", role: "admin" };

/** The new editable fields of a device. */
interface Wanted {
  name: string;
  description: string;
  deviceTypeId: string | null;
  metadata: Metadata;
  groupIds: string[];
  thresholdIds: string[];
}

/** Returns whether the record equals the wanted fields: repeating a PUT does not change its entity tag. */
function isEqual(record: DeviceRecord, wanted: Wanted): boolean {
  return (
    record.name === wanted.name &&
    record.description === wanted.description &&
    record.deviceTypeId === wanted.deviceTypeId &&
    sameIds(record.groupIds, wanted.groupIds) &&
    sameIds(record.thresholdIds, wanted.thresholdIds) &&
    isDeepStrictEqual(record.metadata, wanted.metadata)
  );
}

/** Returns the editable fields of a device, for the audit. */
function edited({ name, description, deviceTypeId, groupIds, thresholdIds, metadata }: DeviceRecord): object {
  return { name, description, deviceTypeId, groupIds, thresholdIds, metadata };
}

function sameIds(one: readonly string[], other: readonly string[]): boolean {
  return isDeepStrictEqual(new Set(one), new Set(other));
}
