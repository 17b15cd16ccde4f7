import { queryOptions } from "@tanstack/react-query";
import { api, must } from "./client.ts";
import type { paths } from "./generated/admin.ts";
import { keyOf } from "./queries.ts";

const LIST = "/api/admin/devices";

export type DeviceQuery = NonNullable<paths["/api/admin/devices"]["get"]["parameters"]["query"]>;

export const devicesQuery = (query: DeviceQuery) =>
  queryOptions({
    queryKey: keyOf(LIST, query),
    queryFn: ({ signal }) => must(api.GET(LIST, { params: { query }, signal })),
    placeholderData: (before) => before,
  });

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

export const rejectedQuery = (id: string) =>
  queryOptions({
    queryKey: keyOf(LIST, id, "rejected"),
    queryFn: ({ signal }) => must(api.GET("/api/admin/devices/{id}/rejected", { params: { path: { id } }, signal })),
  });
