import { queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "../client.ts";
import { keyOf } from "../queries.ts";

export const COMMANDS = "/api/admin/devices/{id}/commands";

export type DeviceCommand = Schemas["DeviceCommand"];

/** A device may acknowledge a command at any moment, and no event says so. */
const EVERY_MS = 5_000;

/** The commands that wait for a device, oldest first; read again while the screen shows some. */
export const commandsQuery = (deviceId: string, skip: number) =>
  queryOptions({
    queryKey: keyOf(COMMANDS, deviceId, skip),
    queryFn: ({ signal }) =>
      must(api.GET(COMMANDS, { params: { path: { id: deviceId }, query: { skip, limit: 50 } }, signal })),
    refetchInterval: ({ state }) => (state.data && state.data.items.length > 0 ? EVERY_MS : false),
  });

export function sendCommand(deviceId: string, body: Schemas["NewDeviceCommand"]) {
  return must(api.POST(COMMANDS, { params: { path: { id: deviceId } }, body }));
}

export function cancelCommand(deviceId: string, commandId: string) {
  return must(api.DELETE(`${COMMANDS}/{commandId}`, { params: { path: { id: deviceId, commandId } } }));
}
