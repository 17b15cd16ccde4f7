import type { Fleet } from "./clients/fleet.ts";
import type { DeviceResult } from "./clients/protocol.ts";
import type { Course } from "./course.ts";
import { COUNTED, type Counted } from "./figures/figures.ts";
import type { Options } from "./options.ts";
import { compareStored, type StoredCounts } from "./stored.ts";
import type { Target } from "./target/target.ts";

/** What the whole run adds up to. */
export interface Results {
  readonly totals: Readonly<Record<Counted, number>>;
  /** Refused by the broker, and without an acknowledgement at the end although their device is not revoked. */
  readonly refused: number;
  readonly unacknowledged: number;
  readonly gateways: number;
  /** Acknowledged messages of QoS 1 and 2 that a gateway has not received although it was connected. */
  readonly lost: number;
  /** The same while its own connection was broken: a session that is not stored misses them. */
  readonly missedWhileAway: number;
  readonly commands: { readonly sent: number; readonly lost: number };
  /** Undefined where nothing could be compared; `why` says it. */
  readonly stored: StoredCounts | { why: string };
  /** How late timers of the load processes were, at most, in milliseconds. */
  readonly lateMs: number;
  /** What is not as promised; none is a success. */
  readonly failures: readonly string[];
}

/** Compares what was sent with what arrived and what is stored. @param fleet with all clients still connected */
export async function collectResults(course: Course, fleet: Fleet, target: Target, options: Options): Promise<Results> {
  const devices = await fleet.deviceResults();
  const sum = (of: (device: DeviceResult) => number) => devices.reduce((total, device) => total + of(device), 0);
  // What was not acknowledged may have been lost.
  const published = devices.map(({ topic, qos, published: count, refused, unacknowledged }) => {
    return { topic, qos, published: count, refused: [...refused, ...unacknowledged] };
  });
  const gateways = await fleet.gatewayResults(published);
  const totals = Object.fromEntries(
    COUNTED.map((name) => [name, course.phases.reduce((total, { figures }) => total + figures.count(name), 0)]),
  ) as Record<Counted, number>;
  const found = {
    totals,
    refused: sum(({ refused }) => refused.length),
    unacknowledged: sum(({ unacknowledged, isRevoked }) => (isRevoked ? 0 : unacknowledged.length)),
    gateways: gateways.length,
    lost: gateways.reduce((total, { lost }) => total + lost, 0),
    missedWhileAway: gateways.reduce((total, { missedWhileAway }) => total + missedWhileAway, 0),
    commands: course.commands?.compare(devices) ?? { sent: 0, lost: 0 },
    stored: await compareStored(course, devices, target, options),
    lateMs: fleet.lateMs,
  };
  return { ...found, failures: failuresOf(found, course, options) };
}

function failuresOf(found: Omit<Results, "failures">, { phases }: Course, { backWithin }: Options): string[] {
  const { lost, stored, unacknowledged, commands, totals } = found;
  const late = phases.filter(({ back }) => back && (back.seconds === undefined || back.seconds > backWithin));
  const open = phases.reduce(
    (total, { figures }) => total + [...figures.errors].filter(([what]) => what.startsWith("revocation")).length,
    0,
  );
  return [
    ...phases.flatMap(({ name, failures = [] }) => failures.map((failure) => `${name}: ${failure}`)),
    ...late.map(({ name }) => `${name}: not all were back within ${backWithin} s`),
    ...(lost > 0 ? [`acknowledged messages that did not arrive at connected gateways: ${lost}`] : []),
    ...(totals["out of order"] > 0
      ? [`messages that arrived after a later one of their device: ${totals["out of order"]}`]
      : []),
    ...("lost" in stored ? storedFailures(stored) : []),
    ...(unacknowledged > 0 ? [`messages without acknowledgement: ${unacknowledged}`] : []),
    ...(commands.lost > 0 ? [`commands that did not arrive: ${commands.lost}`] : []),
    ...(open > 0 ? ["sessions of revoked certificates stayed open"] : []),
  ];
}

function storedFailures({ lost, twice, outOfOrder, counted, toCount }: StoredCounts): string[] {
  return [
    ...(lost > 0 ? [`acknowledged messages that are not stored: ${lost}`] : []),
    ...(twice > 0 ? [`messages that are stored again: ${twice}`] : []),
    ...(outOfOrder > 0 ? [`messages that are stored before an earlier one of their device: ${outOfOrder}`] : []),
    ...(counted !== toCount ? [`anomalies count ${counted} breaches of ${toCount}`] : []),
  ];
}
