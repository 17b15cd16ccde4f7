import type { Caller } from "../access/access.ts";
import type { Page } from "../lib/page.ts";
import { createDevice, type NewDevice } from "./create-device.ts";
import type { DevicesDeps } from "./deps.ts";
import {
  createDeviceType,
  type DeviceTypeEdit,
  type DeviceTypeRecord,
  listDeviceTypes,
  type NewDeviceType,
  tenantOfDeviceType,
  updateDeviceType,
} from "./device-types.ts";
import { type DeviceEdit, type Precondition, replaceDevice } from "./replace-device.ts";
import { type DeviceQuery, type DeviceRecord, getDevice, listDevices } from "./view-devices.ts";

export { lockDevice, lockDeviceRecord, retireDevice } from "./device-store.ts";
export { resolveTopics } from "./topics.ts";
export type { DeviceEdit, DeviceQuery, DeviceRecord, DeviceTypeEdit, DeviceTypeRecord, NewDevice, NewDeviceType };

/** Devices and their types as records. Deleting a device ends certificates and sessions: that is enrollment's. */
export interface Devices {
  createDeviceType(caller: Caller, input: NewDeviceType): Promise<DeviceTypeRecord>;
  updateDeviceType(caller: Caller, id: string, input: DeviceTypeEdit): Promise<DeviceTypeRecord>;
  /** The tenant's device types, newest first. */
  listDeviceTypes(caller: Caller): Promise<DeviceTypeRecord[]>;
  /** The slug of the tenant a device type belongs to, for the shell, which names a type by its id alone. */
  tenantOfDeviceType(id: string): Promise<string>;
  createDevice(caller: Caller, input: NewDevice): Promise<DeviceRecord>;
  replaceDevice(caller: Caller, id: string, input: DeviceEdit, precondition?: Precondition): Promise<DeviceRecord>;
  getDevice(caller: Caller, id: string): Promise<DeviceRecord>;
  listDevices(caller: Caller, query: DeviceQuery): Promise<Page<DeviceRecord>>;
}

export function createDevices(deps: DevicesDeps): Devices {
  return {
    createDeviceType: (caller, input) => createDeviceType(deps, caller, input),
    updateDeviceType: (caller, id, input) => updateDeviceType(deps, caller, id, input),
    listDeviceTypes: (caller) => listDeviceTypes(deps, caller),
    tenantOfDeviceType: (id) => tenantOfDeviceType(deps, id),
    createDevice: (caller, input) => createDevice(deps, caller, input),
    replaceDevice: (caller, id, input, precondition) => replaceDevice(deps, caller, id, input, precondition),
    getDevice: (caller, id) => getDevice(deps, caller, id),
    listDevices: (caller, query) => listDevices(deps, caller, query),
  };
}
