import type { Course } from "./course.ts";
import { COUNTED, type Counted } from "./figures/figures.ts";
import type { Fleet } from "./load/fleet.ts";
import { type DeviceResult, nowMs } from "./load/protocol.ts";
import type { Options } from "./options.ts";
import type { Target } from "./target/target.ts";

const READINGS_OF_PAGE = 1_000;
/** The clock of the service may be ahead. */
const MARGIN_MS = 60_000;

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
  readonly stored: { readonly devices: number; readonly messages: number; readonly lost: number } | { why: string };
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

/** Reads what is stored of the last devices: certificates are revoked from the first one on. */
async function compareStored(
  course: Course,
  devices: readonly DeviceResult[],
  { api }: Target,
  options: Options,
): Promise<Results["stored"]> {
  if (options.checkStored === 0) return { why: "--check-stored 0" };
  if (!api.hasKey) return { why: "there is no API key" };
  const settled = devices.filter(({ qos }) => qos > 0).slice(-options.checkStored);
  let [messages, lost] = [0, 0];
  try {
    for (const device of settled) {
      const stored = await storedOf(api, device.deviceId, course);
      const excepted = new Set([...device.refused, ...device.unacknowledged]);
      for (let number = 0; number < device.published; number++) {
        if (excepted.has(number)) continue;
        messages++;
        if (!stored.has(number)) lost++;
      }
    }
  } catch (error) {
    return { why: (error as Error).message };
  }
  return { devices: settled.length, messages, lost };
}

async function storedOf(api: Target["api"], deviceId: string, { beganAt }: Course): Promise<Set<number>> {
  const numbers = new Set<number>();
  const [from, to] = [beganAt, nowMs() + MARGIN_MS].map((ms) => new Date(ms).toISOString());
  for (let cursor = ""; ; ) {
    const page = `metric=n&from=${from}&to=${to}&limit=${READINGS_OF_PAGE}${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
    const { items, next } = await api.call(200, "GET", `/devices/${deviceId}/readings?${page}`);
    for (const { value } of items) numbers.add(value);
    if (!next) return numbers;
    cursor = next;
  }
}

function failuresOf(found: Omit<Results, "failures">, { phases }: Course, { backWithin }: Options): string[] {
  const { lost, stored, unacknowledged, commands, totals } = found;
  const late = phases.filter(({ back }) => back && (back.seconds === undefined || back.seconds > backWithin));
  const open = phases.reduce(
    (total, { figures }) => total + [...figures.errors].filter(([what]) => what.startsWith("revocation")).length,
    0,
  );
  return [
    ...late.map(({ name }) => `${name}: not all were back within ${backWithin} s`),
    ...(lost > 0 ? [`acknowledged messages that did not arrive at connected gateways: ${lost}`] : []),
    ...(totals["out of order"] > 0
      ? [`messages that arrived after a later one of their device: ${totals["out of order"]}`]
      : []),
    ...("lost" in stored && stored.lost > 0 ? [`acknowledged messages that are not stored: ${stored.lost}`] : []),
    ...(unacknowledged > 0 ? [`messages without acknowledgement: ${unacknowledged}`] : []),
    ...(commands.lost > 0 ? [`commands that did not arrive: ${commands.lost}`] : []),
    ...(open > 0 ? ["sessions of revoked certificates stayed open"] : []),
  ];
}
