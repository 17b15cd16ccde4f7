import { type Bound, bind } from "../access/access.ts";
import { createDevice } from "./create-device.ts";
import type { DevicesDeps } from "./deps.ts";
import { createDeviceType, listDeviceTypes, tenantOfDeviceType, updateDeviceType } from "./device-types.ts";
import { countDevices } from "./list/count-devices.ts";
import { listDevices } from "./list/list-devices.ts";
import { listMetadataFields } from "./list/list-metadata-fields.ts";
import { nameDevices } from "./list/name-devices.ts";
import { suggestDevices } from "./list/suggest-devices.ts";
import { changeDevice, patchDevice, replaceDevice } from "./replace-device.ts";
import { deleteDeviceType } from "./types/delete-device-type.ts";
import { getDeviceType, listOutdatedDevices } from "./types/show-device-type.ts";
import { getDevice } from "./view-devices.ts";

export { checkNewDevice, type NewDevice } from "./create-device.ts";
export {
  type DeviceSelection,
  hasDeviceType,
  type LockedDevice,
  lockDevice,
  lockDeviceRecord,
  lockDeviceRecords,
  lockDevices,
  retireDevice,
} from "./device-store.ts";
export type { NewDeviceType } from "./device-types.ts";
export {
  type EnrolledDeviceValues,
  insertEnrolledDevice,
  joinIntendedGroups,
  leaveOtherGroups,
  lockLiveDevices,
  updateEnrolledDevice,
} from "./enrolled-device-store.ts";
export { type DeviceCounts, OVERDUE_MS } from "./list/count-devices.ts";
export { DEVICE_ORDERS, type DeviceOrder } from "./list/device-list-store.ts";
export type { DeviceQuery } from "./list/list-devices.ts";
export type { Metadata } from "./metadata.ts";
export { type MetricSetting, PAYLOAD_FORMATS, type PayloadFormat, type PayloadSettings } from "./payload-settings.ts";
export { type PresenceRow, presenceStatement, recordOwedEvents, setOffline } from "./presence-store.ts";
export type { DeviceChange } from "./replace-device.ts";
export { unassignThreshold } from "./threshold-assignment-store.ts";
export { resolveTopics, topicPrefix } from "./topics.ts";
export { withTopics } from "./topics-store.ts";
export type { DeviceTypeDetail, OutdatedDevice } from "./types/show-device-type.ts";
export { hasOtherTopics } from "./types/type-use-store.ts";
export type { DeviceRecord } from "./view-devices.ts";

/**
 * Devices and their types as records. Enrollment deletes devices, since that revokes certificates and closes sessions.
 */
export const deviceUseCases = {
  createDeviceType,
  updateDeviceType,
  deleteDeviceType,
  listDeviceTypes,
  getDeviceType,
  listOutdatedDevices,
  tenantOfDeviceType,
  createDevice,
  replaceDevice,
  patchDevice,
  changeDevice,
  getDevice,
  listDevices,
  countDevices,
  listMetadataFields,
  suggestDevices,
  nameDevices,
};
export type Devices = Bound<typeof deviceUseCases>;
export const createDevices = (deps: DevicesDeps): Devices => bind(deps, deviceUseCases);
