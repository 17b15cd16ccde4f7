import type { Fleet } from "./clients/fleet.ts";
import type { DeviceResult } from "./clients/protocol.ts";
import type { Course } from "./course.ts";
import { COUNTED, type Counted } from "./figures/figures.ts";
import type { Options } from "./options.ts";
import { compareStored, type StoredCounts } from "./stored.ts";
import type { Target } from "./target/target.ts";

/** The results of a whole run. */
export type Results = Awaited<ReturnType<typeof collectResults>>;

/** Compares sent, received and stored messages. @param fleet with all clients still connected */
export async function collectResults(course: Course, fleet: Fleet, target: Target, options: Options) {
  const devices = await fleet.deviceResults();
  const sum = (of: (device: DeviceResult) => number) => devices.reduce((total, device) => total + of(device), 0);
  // Unacknowledged messages may have been lost.
  const published = devices.map(({ topic, qos, published: count, refused, unacknowledged }) => {
    return { topic, qos, published: count, refused: [...refused, ...unacknowledged] };
  });
  const gateways = await fleet.gatewayResults(published);
  const totals = Object.fromEntries(
    COUNTED.map((name) => [name, course.phases.reduce((total, { figures }) => total + figures.count(name), 0)]),
  ) as Record<Counted, number>;
  const found = {
    totals,
    /** Refused by the broker, and without an acknowledgement at the end although their device is not revoked. */
    refused: sum(({ refused }) => refused.length),
    unacknowledged: sum(({ unacknowledged, isRevoked }) => (isRevoked ? 0 : unacknowledged.length)),
    gateways: gateways.length,
    /** Acknowledged messages of QoS 1 and 2 that did not arrive at a connected gateway. */
    lost: gateways.reduce((total, { lost }) => total + lost, 0),
    /** The same while the gateway's connection was broken: a session that is not stored misses them. */
    missedWhileAway: gateways.reduce((total, { missedWhileAway }) => total + missedWhileAway, 0),
    commands: course.commands?.compare(devices) ?? { sent: 0, lost: 0 },
    stored: await compareStored(course, devices, target, options),
    /** The longest delay of the load processes' timers, in milliseconds. */
    lateMs: fleet.lateMs,
  };
  /** The broken promises; none is a success. */
  const failures = failuresOf(found, course, options);
  return { ...found, failures };
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
