import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "./client.ts";
import type { paths } from "./generated/admin.ts";
import { filled, keyOf } from "./queries.ts";

const LIST = "/api/admin/devices";
export const DEVICES = LIST;

export type DeviceQuery = NonNullable<paths["/api/admin/devices"]["get"]["parameters"]["query"]>;

export const devicesQuery = (query: DeviceQuery) =>
  queryOptions({
    queryKey: keyOf(LIST, query),
    queryFn: ({ signal }) => must(api.GET(LIST, { params: { query }, signal })),
    placeholderData: (before) => before,
  });

/** Some devices, to be changed together. */
export function listDevices(query: DeviceQuery) {
  return must(api.GET(LIST, { params: { query } }));
}

/** A device with the entity tag that a conditional write names. */
export const deviceQuery = (id: string) =>
  queryOptions({
    queryKey: keyOf(LIST, id),
    queryFn: async ({ signal }) => {
      const { data, error, response } = await api.GET("/api/admin/devices/{id}", { params: { path: { id } }, signal });
      const device = await must(Promise.resolve({ data, error, response }));
      return { device, etag: response.headers.get("etag") ?? "" };
    },
  });

export const latestQuery = (id: string) =>
  queryOptions({
    queryKey: keyOf(LIST, id, "latest"),
    queryFn: ({ signal }) => must(api.GET("/api/admin/devices/{id}/latest", { params: { path: { id } }, signal })),
  });

/** How the device connects: addresses, files, and programs with its values. */
export const connectGuideQuery = (id: string) =>
  queryOptions({
    queryKey: keyOf(LIST, id, "connect-guide"),
    queryFn: ({ signal }) =>
      must(api.GET("/api/admin/devices/{id}/connect-guide", { params: { path: { id } }, signal })),
  });

export const rejectedQuery = (id: string) =>
  queryOptions({
    queryKey: keyOf(LIST, id, "rejected"),
    queryFn: ({ signal }) => must(api.GET("/api/admin/devices/{id}/rejected", { params: { path: { id } }, signal })),
  });

/** What is wrong with a device that works, each with its cause and its cure. */
export const findingsOfDeviceQuery = (deviceId: string) =>
  queryOptions({
    queryKey: keyOf("/api/admin/findings", deviceId),
    queryFn: ({ signal }) => must(api.GET("/api/admin/findings", { params: { query: { deviceId } }, signal })),
  });

const FINDINGS = "/api/admin/findings";
export type Finding = Schemas["Finding"];
/** What the list can be narrowed to; topics that have changed are found of one device alone. */
export type ListedKind = Exclude<Finding["kind"], "topics_changed">;

/** What is wrong with devices that work, a page at a time. */
export const findingsQuery = (kind: string | undefined, skip: number) =>
  queryOptions({
    queryKey: keyOf(FINDINGS, "list", kind, skip),
    queryFn: ({ signal }) => {
      const query = filled({ kind: kind as ListedKind | undefined, skip, limit: FINDINGS_PAGE });
      return must(api.GET(FINDINGS, { params: { query }, signal }));
    },
    placeholderData: (before) => before,
  });

const FINDINGS_PAGE = 50;

/** What happened to a device, newest first, a page at a time. */
export const timelineQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: keyOf(LIST, id, "timeline"),
    queryFn: ({ signal, pageParam }) => {
      const query = { limit: TIMELINE_PAGE, ...(pageParam ? { before: pageParam } : {}) };
      return must(api.GET("/api/admin/devices/{id}/timeline", { params: { path: { id }, query }, signal }));
    },
    initialPageParam: "",
    getNextPageParam: ({ items }) => (items.length < TIMELINE_PAGE ? undefined : items.at(-1)?.at),
  });

const TIMELINE_PAGE = 50;

/** Closes the sessions of a device; it may connect again at once. */
export function disconnectDevice(id: string) {
  return must(api.POST("/api/admin/devices/{id}/disconnect", { params: { path: { id } } }));
}

/** Does the same to many devices; the answer says of each what became of it. */
export function changeDevices(body: Schemas["BulkChange"]) {
  return must(api.POST("/api/admin/devices/bulk", { body }));
}
