import { type DeviceResult, nowMs } from "./clients/protocol.ts";
import { compareNumbers } from "./compare-numbers.ts";
import type { Course } from "./course.ts";
import type { Options } from "./options.ts";
import type { Target } from "./target/target.ts";

const READINGS_OF_PAGE = 1_000;
const ANOMALIES_OF_PAGE = 200;
/** The clock of the service may be ahead. */
const MARGIN_MS = 60_000;

/** Acknowledged messages of some devices, and the stored ones. */
export interface StoredCounts {
  readonly devices: number;
  readonly messages: number;
  /** Not stored. */
  readonly lost: number;
  /** Stored more than once although they were sent once. Known where messages have the times of their arrival. */
  readonly twice: number;
  /** Stored with an earlier time than a message that was sent before. Known as `twice` is. */
  readonly outOfOrder: number;
  /** The occurrences that anomalies count, and their number if each stored message counts once per rule. */
  readonly counted: number;
  readonly toCount: number;
}

/** Compares acknowledged messages with stored ones. @returns `why` where they could not be compared */
export async function compareStored(
  course: Course,
  devices: readonly DeviceResult[],
  { api }: Target,
  { checkStored, rules }: Options,
): Promise<StoredCounts | { why: string }> {
  if (checkStored === 0) return { why: "--check-stored 0" };
  if (!api.hasKey) return { why: "there is no API key" };
  let [messages, lost, twice, outOfOrder, counted, toCount] = [0, 0, 0, 0, 0, 0];
  // Certificates are revoked from the first device on.
  const checked = devices.filter(({ qos }) => qos > 0).slice(-checkStored);
  try {
    for (const device of checked) {
      const numbers = await storedNumbers(api, device.deviceId, course);
      const found = compareNumbers(numbers, device);
      messages += found.messages;
      lost += found.lost.length;
      twice += found.twice.length;
      outOfOrder += found.outOfOrder.length;
      counted += rules === 0 ? 0 : await occurrences(api, device.deviceId);
      toCount += rules * numbers.length;
    }
    return { devices: checked.length, messages, lost, twice, outOfOrder, counted, toCount };
  } catch (error) {
    return { why: (error as Error).message };
  }
}

async function storedNumbers(api: Target["api"], deviceId: string, { beganAt }: Course): Promise<number[]> {
  const numbers: number[] = [];
  const [from, to] = [beganAt, nowMs() + MARGIN_MS].map((ms) => new Date(ms).toISOString());
  for (let cursor = ""; ; ) {
    const page = `metric=n&from=${from}&to=${to}&limit=${READINGS_OF_PAGE}${cursor}`;
    const { items, next } = await api.call(200, "GET", `/devices/${deviceId}/readings?${page}`);
    for (const { value } of items) numbers.push(value);
    if (!next) return numbers.reverse();
    cursor = `&cursor=${encodeURIComponent(next)}`;
  }
}

/** Returns the occurrences of all anomalies of a device. */
async function occurrences(api: Target["api"], deviceId: string): Promise<number> {
  const path = `/anomalies?deviceId=${encodeURIComponent(deviceId)}&limit=${ANOMALIES_OF_PAGE}`;
  const { items } = await api.call(200, "GET", path);
  return items.reduce((sum: number, each: { occurrences: number }) => sum + each.occurrences, 0);
}
