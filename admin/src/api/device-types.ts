import { api, ifMatch, must, type Schemas } from "./client.ts";
import { read, readVersioned } from "./read.ts";

export const DEVICE_TYPES = "/api/admin/device-types";
export type DeviceType = Schemas["DeviceType"];
export type DeviceTypeDetail = Schemas["DeviceTypeDetail"];
/** Enough for a list of choices; a tenant has a few types. */
const MOST = 200;

/** The choices for the type of a device or of a claim. */
export const deviceTypesQuery = read(DEVICE_TYPES, { query: { limit: MOST } });
export const deviceTypePageQuery = (skip: number) => read(DEVICE_TYPES, { query: { skip, limit: 50 } });
export const deviceTypeQuery = (id: string) => readVersioned(`${DEVICE_TYPES}/{id}`, { path: { id } });
export const outdatedDevicesQuery = (id: string, skip: number) =>
  read(`${DEVICE_TYPES}/{id}/outdated-devices`, { path: { id }, query: { skip, limit: 20 } });

export const createDeviceType = (body: Schemas["DeviceTypeCreate"]) => must(api.POST(DEVICE_TYPES, { body }));
export const updateDeviceType = (id: string, etag: string | undefined, body: Schemas["DeviceTypeUpdate"]) =>
  must(api.PATCH(`${DEVICE_TYPES}/{id}`, { params: { path: { id } }, body, ...ifMatch(etag) }));
export const deleteDeviceType = (id: string) => must(api.DELETE(`${DEVICE_TYPES}/{id}`, { params: { path: { id } } }));

export type PayloadTrial = Schemas["PayloadTrial"];
export const tryPayload = (id: string, body: Schemas["PayloadTrialRequest"]) =>
  must(api.POST(`${DEVICE_TYPES}/{id}/try-payload`, { params: { path: { id } }, body }));
