import { infiniteQueryOptions } from "@tanstack/react-query";
import { api, ifMatch, must, type Schemas } from "./client.ts";
import { get, type QueryOf, read, readList, readVersioned } from "./read.ts";

export const DEVICES = "/api/admin/devices";
const FINDINGS = "/api/admin/findings";
export type Device = Schemas["Device"];
export type DeviceQuery = QueryOf<typeof DEVICES>;
export type Finding = Schemas["Finding"];
const PAGE = 50;

export const devicesQuery = (query: DeviceQuery) => readList(DEVICES, query);
/** Reads a page of the devices that are to be changed together. */
export const listDevices = (query: DeviceQuery) => get(DEVICES, { query });
export const deviceQuery = (id: string) => readVersioned(`${DEVICES}/{id}`, { path: { id } });
export const latestQuery = (id: string) => read(`${DEVICES}/{id}/latest`, { path: { id } });
/** The settings with which the device connects: addresses, files, and programs with its values. */
export const connectGuideQuery = (id: string) => read(`${DEVICES}/{id}/connect-guide`, { path: { id } });
export const rejectedQuery = (id: string) => read(`${DEVICES}/{id}/rejected`, { path: { id } });
/** The faults of a working device, each with its cause and its cure. */
export const findingsOfDeviceQuery = (deviceId: string) => read(FINDINGS, { query: { deviceId } });
/** The faults of all working devices. @param kind one that the service lists over all devices */
export const findingsQuery = (kind: string | undefined, skip: number) =>
  readList(FINDINGS, { kind: kind as Exclude<Finding["kind"], "topics_changed"> | undefined, skip, limit: PAGE });
/** The events of a device, newest first, one page at a time. */
export const timelineQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: [`${DEVICES}/{id}/timeline`, id],
    queryFn: ({ signal, pageParam }) =>
      get(`${DEVICES}/{id}/timeline`, { path: { id }, query: { limit: PAGE, before: pageParam || undefined } }, signal),
    initialPageParam: "",
    getNextPageParam: ({ items }) => (items.length < PAGE ? undefined : items.at(-1)?.at),
  });

export const createDevice = (body: Schemas["DeviceCreate"]) => must(api.POST(DEVICES, { body }));
export const replaceDevice = (id: string, etag: string | undefined, body: Schemas["DeviceReplacement"]) =>
  must(api.PUT(`${DEVICES}/{id}`, { params: { path: { id } }, body, ...ifMatch(etag) }));
export const deleteDevice = (id: string) => must(api.DELETE(`${DEVICES}/{id}`, { params: { path: { id } } }));
/** Closes the sessions of a device, which may connect again immediately. */
export const disconnectDevice = (id: string) =>
  must(api.POST(`${DEVICES}/{id}/disconnect`, { params: { path: { id } } }));
export const suggestionsQuery = (q: string) => read("/api/admin/device-suggestions", { query: { q } });
export const metadataFieldsQuery = read("/api/admin/metadata-fields", {});
export type ImportRow = Schemas["ImportRow"];
export type ImportOutcome = Schemas["ImportOutcome"];
/** Adds or changes a device per row; a preview writes nothing. */
export const importDevices = (rows: ImportRow[], preview: boolean) =>
  must(api.POST(`${DEVICES}/import`, { body: { rows, preview } }));
/** Creates a claim with which the device enrolls again. */
export const allowReenrollment = (id: string) =>
  must(api.POST(`${DEVICES}/{id}/re-enrollment`, { params: { path: { id } }, body: {} }));
/** Applies one change to many devices; the answer has an outcome for each device. */
export const changeDevices = (body: Schemas["BulkChange"]) => must(api.POST(`${DEVICES}/bulk`, { body }));
