import { queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "../client.ts";
import { read } from "../read.ts";

export const COMMANDS = "/api/admin/devices/{id}/commands";
export type DeviceCommand = Schemas["DeviceCommand"];
/** No event reports that a device has acknowledged a command. */
const POLL_MS = 5_000;

/** The commands that wait for a device, oldest first; polled while the screen shows some. */
export const commandsQuery = (id: string, skip: number) =>
  queryOptions({
    ...read(COMMANDS, { path: { id }, query: { skip, limit: 50 } }),
    refetchInterval: ({ state }) => (state.data && state.data.items.length > 0 ? POLL_MS : false),
  });
export const sendCommand = (id: string, body: Schemas["DeviceCommandCreate"]) =>
  must(api.POST(COMMANDS, { params: { path: { id } }, body }));
export const cancelCommand = (id: string, commandId: string) =>
  must(api.DELETE(`${COMMANDS}/{commandId}`, { params: { path: { id, commandId } } }));
