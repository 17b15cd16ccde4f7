import { useQuery } from "@tanstack/react-query";
import { refusalsOfDeviceQuery } from "../../api/broker/refusals.ts";
import type { Schemas } from "../../api/client.ts";
import { deviceQuery, latestQuery } from "../../api/devices.ts";
import type { LatestValue } from "../../api/live/telemetry-store.ts";
import { type Phase, phaseOf } from "./phase.ts";

/** What the broker sees of a device. */
export interface Connection {
  phase: Phase;
  device?: Schemas["Device"] | undefined;
  refusal?: Schemas["Refusal"] | undefined;
  /** The newest of its readings. */
  reading?: LatestValue | undefined;
}

const POLL_MS = 2000;

/** Follows what becomes of a device's attempts to connect. */
export function useConnection(deviceId: string | undefined): Connection {
  const id = deviceId ?? "";
  const watching = { enabled: deviceId !== undefined, staleTime: 0, refetchInterval: untilRefused };
  const latest = useQuery({ ...latestQuery(id), ...watching });
  const device = useQuery({ ...deviceQuery(id), ...watching }).data?.device;
  const refusal = useQuery({ ...refusalsOfDeviceQuery(id, 1), ...watching }).data?.items[0];
  const reading = newestOf(latest.data?.items as readonly LatestValue[] | undefined);
  return { phase: phaseOf(device, refusal, reading), device, refusal, reading };
}

/** A device that is deleted has no more to poll for. */
function untilRefused({ state }: { state: { status: string } }): number | false {
  return state.status === "error" ? false : POLL_MS;
}

/** Values of one message arrive at the same time; the first by name stands for them. */
function newestOf(values: readonly LatestValue[] = []): LatestValue | undefined {
  return values.reduce<LatestValue | undefined>(
    (newest, value) => (newest && newest.receivedAt >= value.receivedAt ? newest : value),
    undefined,
  );
}
