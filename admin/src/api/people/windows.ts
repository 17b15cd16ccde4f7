import { api, must, type Schemas } from "../client.ts";
import { type QueryOf, readList } from "../read.ts";

export const WINDOWS = "/api/admin/maintenance-windows";
export type MaintenanceWindow = Schemas["MaintenanceWindow"];
export type NewWindow = Schemas["MaintenanceWindowCreate"];

export const windowsQuery = (query: QueryOf<typeof WINDOWS>) => readList(WINDOWS, { limit: 50, ...query });

export const createWindow = (body: NewWindow) => must(api.POST(WINDOWS, { body }));
export const endWindow = (id: string) => must(api.POST(`${WINDOWS}/{id}/end`, { params: { path: { id } } }));
export const extendWindow = (id: string, until: string) =>
  must(api.POST(`${WINDOWS}/{id}/extend`, { params: { path: { id } }, body: { until } }));
export const deleteWindow = (id: string) => must(api.DELETE(`${WINDOWS}/{id}`, { params: { path: { id } } }));
