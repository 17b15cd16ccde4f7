import { queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "./client.ts";
import { keyOf } from "./queries.ts";
import { ifMatch, mustVersioned } from "./versioned.ts";

export const DEVICE_TYPES = "/api/admin/device-types";

export type DeviceType = Schemas["DeviceType"];
export type DeviceTypeDetail = Schemas["DeviceTypeDetail"];

/** Enough for a list of choices; a tenant has a few types. */
const MOST = 200;

/** What a device, or the devices of a claim, can be. */
export const deviceTypesQuery = queryOptions({
  queryKey: keyOf(DEVICE_TYPES, "choices"),
  queryFn: ({ signal }) => must(api.GET(DEVICE_TYPES, { params: { query: { limit: MOST } }, signal })),
});

export const deviceTypePageQuery = (skip: number) =>
  queryOptions({
    queryKey: keyOf(DEVICE_TYPES, skip),
    queryFn: ({ signal }) => must(api.GET(DEVICE_TYPES, { params: { query: { skip, limit: 50 } }, signal })),
  });

export const deviceTypeQuery = (id: string) =>
  queryOptions({
    queryKey: keyOf(`${DEVICE_TYPES}/${id}`),
    queryFn: () => mustVersioned(api.GET(`${DEVICE_TYPES}/{id}`, { params: { path: { id } } })),
  });

export const outdatedDevicesQuery = (id: string, skip: number) =>
  queryOptions({
    queryKey: keyOf(`${DEVICE_TYPES}/${id}/outdated-devices`, skip),
    queryFn: () =>
      must(api.GET(`${DEVICE_TYPES}/{id}/outdated-devices`, { params: { path: { id }, query: { skip, limit: 20 } } })),
  });

export function createDeviceType(body: Schemas["NewDeviceType"]) {
  return must(api.POST(DEVICE_TYPES, { body }));
}

export function updateDeviceType(id: string, etag: string | undefined, body: Schemas["DeviceTypeEdit"]) {
  return must(api.PATCH(`${DEVICE_TYPES}/{id}`, { params: { path: { id } }, body, ...ifMatch(etag) }));
}

export function deleteDeviceType(id: string) {
  return must(api.DELETE(`${DEVICE_TYPES}/{id}`, { params: { path: { id } } }));
}
