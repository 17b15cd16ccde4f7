import { boundedToGroupsOf, type Caller } from "../access/access.ts";
import type { Tx } from "../db/database.ts";
import { isDeviceId, isUuid } from "../lib/ids.ts";
import { invalidRequest } from "../lib/request-errors.ts";
import { type DeviceRef, isGroup, isUser, lockDevice, lockDeviceOfAnomaly } from "./link-store.ts";
import type { TicketRow } from "./ticket-store.ts";

/** The subject of a ticket, and its group and assignee, as stored. */
export type Links = Pick<TicketRow, "device_uid" | "device_id" | "anomaly_id" | "group_id" | "assignee_user_id">;

/** The requested links: `null` for none, `undefined` to keep the current one. */
export interface WantedLinks {
  deviceId?: string | null | undefined;
  anomalyId?: string | null | undefined;
  groupId?: string | null | undefined;
  assigneeUserId?: string | null | undefined;
}

export const NO_LINKS: Links = {
  device_uid: null,
  device_id: null,
  anomaly_id: null,
  group_id: null,
  assignee_user_id: null,
};

/**
 * Applies the requested links to `before`. An unchanged id is not checked again, since its record may have been
 * deleted. The device of a ticket for an anomaly is the anomaly's.
 *
 * @throws MusterError invalid_request with the id in `detail`, the same for another tenant's id and a nonexistent one
 */
export async function linked(tx: Tx, caller: Caller, before: Links, wanted: WantedLinks): Promise<Links> {
  const subject = await subjectOf(tx, caller, before, wanted);
  const { groupId = before.group_id, assigneeUserId = before.assignee_user_id } = wanted;
  if (groupId !== null && groupId !== before.group_id)
    known(
      isUuid(groupId) && (await isGroup(tx, caller.tenantId, groupId, boundedToGroupsOf(caller))),
      "group",
      groupId,
    );
  if (assigneeUserId !== null && assigneeUserId !== before.assignee_user_id)
    known(isUuid(assigneeUserId) && (await isUser(tx, caller.tenantId, assigneeUserId)), "user", assigneeUserId);
  return { ...subject, group_id: groupId, assignee_user_id: assigneeUserId };
}

type Subject = Pick<Links, "device_uid" | "device_id" | "anomaly_id">;

/** Returns the anomaly and its device, or the device alone. */
async function subjectOf(tx: Tx, caller: Caller, before: Links, wanted: WantedLinks): Promise<Subject> {
  const anomalyId = wanted.anomalyId === undefined ? before.anomaly_id : wanted.anomalyId;
  const now = { uid: before.device_uid, id: before.device_id };
  const isNew = anomalyId !== null && anomalyId !== before.anomaly_id;
  const ofAnomaly = isNew ? await deviceOfAnomaly(tx, caller, anomalyId) : now;
  const device =
    wanted.deviceId === undefined || wanted.deviceId === ofAnomaly.id
      ? ofAnomaly
      : await deviceWanted(tx, caller, wanted.deviceId);
  if (anomalyId !== null && device.uid !== ofAnomaly.uid)
    throw invalidRequest("the anomaly belongs to another device", wanted.deviceId ?? "deviceId");
  return { anomaly_id: anomalyId, device_uid: device.uid, device_id: device.id };
}

async function deviceOfAnomaly(tx: Tx, caller: Caller, id: string): Promise<DeviceRef> {
  const device = isUuid(id) && (await lockDeviceOfAnomaly(tx, caller.tenantId, id, boundedToGroupsOf(caller)));
  return device || unknown("anomaly", id);
}

async function deviceWanted(tx: Tx, caller: Caller, id: string | null): Promise<DeviceRef | typeof NO_DEVICE> {
  if (id === null) return NO_DEVICE;
  const device = isDeviceId(id) && (await lockDevice(tx, caller.tenantId, id, boundedToGroupsOf(caller)));
  return device || unknown("device", id);
}

const NO_DEVICE = { uid: null, id: null };

function known(is: boolean, what: string, id: string): void {
  if (!is) unknown(what, id);
}

function unknown(what: string, id: string): never {
  throw invalidRequest(`There is no such ${what}.`, id);
}
