import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../../api/client.ts";
import { deviceQuery, latestQuery } from "../../api/devices.ts";
import type { LatestValue } from "../../api/live/telemetry-store.ts";
import { refusalsOfDeviceQuery } from "../../api/refusals.ts";

/** How far a device has come: it waits, was refused, has connected, has reported a first reading. */
export interface Connection {
  phase: "waiting" | "refused" | "connected" | "reported";
  device?: Schemas["Device"] | undefined;
  refusal?: Schemas["Refusal"] | undefined;
  reading?: LatestValue | undefined;
}

const POLL_MS = 2000;

/** Follows what becomes of a device's attempts to connect, until it has reported. */
export function useConnection(deviceId: string | undefined): Connection {
  const id = deviceId ?? "";
  const latest = useQuery({
    ...latestQuery(id),
    enabled: deviceId !== undefined,
    refetchInterval: ({ state }) => (state.data?.items.length ? false : POLL_MS),
    staleTime: 0,
  });
  const reading = latest.data?.items[0] as LatestValue | undefined;
  const watching = {
    enabled: deviceId !== undefined,
    staleTime: 0,
    refetchInterval: reading ? (false as const) : POLL_MS,
  };
  const device = useQuery({ ...deviceQuery(id), ...watching }).data?.device;
  const refusal = useQuery({ ...refusalsOfDeviceQuery(id, 1), ...watching }).data?.items[0];
  if (reading) return { phase: "reported", device, reading };
  const since = device?.connectivity.since;
  const refusedLast = refusal && (!since || refusal.lastAt > since);
  if (refusedLast) return { phase: "refused", device, refusal };
  return { phase: since ? "connected" : "waiting", device };
}
