import { type DeviceResult, nowMs } from "./clients/protocol.ts";
import { compareNumbers } from "./compare-numbers.ts";
import type { Course } from "./course.ts";
import type { Options } from "./options.ts";
import type { Target } from "./target/target.ts";

const READINGS_OF_PAGE = 1_000;
const ANOMALIES_OF_PAGE = 200;
/** The clock of the service may be ahead. */
const MARGIN_MS = 60_000;

/** Acknowledged messages of some devices, beside what is stored. */
export interface StoredCounts {
  readonly devices: number;
  readonly messages: number;
  /** Not stored. */
  readonly lost: number;
  /** Stored more than once although they were sent once. Known where messages have the times of their arrival. */
  readonly twice: number;
  /** With an earlier time than a message that was sent before. Known as `twice` is. */
  readonly outOfOrder: number;
  /** What anomalies of rules that each message breaks count, and what they should: each stored message once. */
  readonly counted: number;
  readonly toCount: number;
}

/** @returns `why` where nothing could be compared */
export async function compareStored(
  course: Course,
  devices: readonly DeviceResult[],
  { api }: Target,
  options: Options,
): Promise<StoredCounts | { why: string }> {
  if (options.checkStored === 0) return { why: "--check-stored 0" };
  if (!api.hasKey) return { why: "there is no API key" };
  // Certificates are revoked from the first device on.
  const settled = devices.filter(({ qos }) => qos > 0).slice(-options.checkStored);
  try {
    const all: Omit<StoredCounts, "devices">[] = [];
    for (const device of settled) all.push(await compareDevice(course, device, api, options));
    const sum = (of: (each: Omit<StoredCounts, "devices">) => number) =>
      all.reduce((total, each) => total + of(each), 0);
    return {
      devices: settled.length,
      messages: sum(({ messages }) => messages),
      lost: sum(({ lost }) => lost),
      twice: sum(({ twice }) => twice),
      outOfOrder: sum(({ outOfOrder }) => outOfOrder),
      counted: sum(({ counted }) => counted),
      toCount: sum(({ toCount }) => toCount),
    };
  } catch (error) {
    return { why: (error as Error).message };
  }
}

async function compareDevice(
  course: Course,
  device: DeviceResult,
  api: Target["api"],
  { rules }: Options,
): Promise<Omit<StoredCounts, "devices">> {
  const numbers = await storedNumbers(api, device.deviceId, course);
  const counted = rules === 0 ? 0 : await occurrences(api, device.deviceId);
  const { messages, lost, twice, outOfOrder } = compareNumbers(numbers, device);
  const found = { messages, lost: lost.length, twice: twice.length, outOfOrder: outOfOrder.length };
  return { ...found, counted, toCount: rules * numbers.length };
}

async function storedNumbers(api: Target["api"], deviceId: string, { beganAt }: Course): Promise<number[]> {
  const numbers: number[] = [];
  const [from, to] = [beganAt, nowMs() + MARGIN_MS].map((ms) => new Date(ms).toISOString());
  for (let cursor = ""; ; ) {
    const page = `metric=n&from=${from}&to=${to}&limit=${READINGS_OF_PAGE}${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
    const { items, next } = await api.call(200, "GET", `/devices/${deviceId}/readings?${page}`);
    for (const { value } of items) numbers.push(value);
    if (!next) return numbers.reverse();
    cursor = next;
  }
}

/** What all anomalies of a device count together. */
async function occurrences(api: Target["api"], deviceId: string): Promise<number> {
  const path = `/anomalies?deviceId=${encodeURIComponent(deviceId)}&limit=${ANOMALIES_OF_PAGE}`;
  const { items } = await api.call(200, "GET", path);
  return items.reduce((sum: number, each: { occurrences: number }) => sum + each.occurrences, 0);
}
