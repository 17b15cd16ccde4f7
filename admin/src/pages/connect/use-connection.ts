import { useQuery } from "@tanstack/react-query";
import { refusalsOfDeviceQuery } from "../../api/broker/refusals.ts";
import type { Schemas } from "../../api/client.ts";
import { deviceQuery, latestQuery } from "../../api/devices.ts";
import type { LatestValue } from "../../api/live/telemetry-store.ts";
import { type Phase, phaseOf } from "./phase.ts";

/** The broker's view of a device. */
export interface Connection {
  phase: Phase;
  device?: Schemas["Device"] | undefined;
  refusal?: Schemas["Refusal"] | undefined;
  reading?: LatestValue | undefined;
}

const POLL_MS = 2000;

/** Follows a device's attempts to connect. */
export function useConnection(deviceId: string | undefined): Connection {
  const id = deviceId ?? "";
  const watching = { enabled: deviceId !== undefined, staleTime: 0, refetchInterval: untilRefused };
  const latest = useQuery({ ...latestQuery(id), ...watching });
  const device = useQuery({ ...deviceQuery(id), ...watching }).data?.record;
  const refusal = useQuery({ ...refusalsOfDeviceQuery(id, 1), ...watching }).data?.items[0];
  const reading = newestOf(latest.data?.items as readonly LatestValue[] | undefined);
  return { phase: phaseOf(device, refusal, reading), device, refusal, reading };
}

/** Stops polling for a deleted device. */
function untilRefused({ state }: { state: { status: string } }): number | false {
  return state.status === "error" ? false : POLL_MS;
}

/** Returns the newest value. The values of a message arrive together; the first by name stands for them. */
function newestOf(values: readonly LatestValue[] = []): LatestValue | undefined {
  return values.reduce<LatestValue | undefined>(
    (newest, value) => (newest && newest.receivedAt >= value.receivedAt ? newest : value),
    undefined,
  );
}
