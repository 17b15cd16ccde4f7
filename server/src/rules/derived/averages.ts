import type { RuleValue } from "../../anomalies/anomalies.ts";
import type { Db } from "../../db/database.ts";
import { type PreparedMessage, readHours } from "../../telemetry/telemetry.ts";
import type { Condition } from "../condition.ts";
import type { DeviceRules } from "../device-rules.ts";
import { type AverageOf, HOUR_US } from "./condition-memory.ts";

const DAY_HOURS = 24;

/** Averages by hour since 1970, for each key of {@link keyOf}. */
export type Averages = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** Returns the averages of a condition that were loaded. */
export function averageIn(averages: Averages, condition: Condition<RuleValue>): AverageOf {
  return (hour) => averages.get(keyOf(condition))?.get(hour) ?? null;
}

/** Returns the key of the average that a condition needs. */
export function keyOf({ metric, measure }: Condition<RuleValue>): string {
  return `${measure?.kind === "deviation" ? measure.days : 0} ${metric}`;
}

/** The averages of a metric for some hours, counted since 1970: each of the same hour of the `days` days before it. */
export interface WantedAverages {
  uid: string;
  metric: string;
  days: number;
  hours: Iterable<number>;
}

/** The averages that a device's conditions with the same {@link keyOf} need. */
interface Want extends WantedAverages {
  key: string;
  /** The hour whose average all these conditions have stored; `undefined` if they differ. */
  known: number | undefined;
  newest: number;
  hours: Set<number>;
}

/**
 * Loads the averages of each hour for which these messages contain a device's first reading. One query serves all
 * devices. A rule stores the average of its hour, so later readings do not change it, and an hour costs one look-up.
 */
export async function loadAverages(
  db: Db,
  devices: ReadonlyMap<string, DeviceRules>,
  messages: readonly PreparedMessage[],
  now: Date,
): Promise<void> {
  const wants = new Map<DeviceRules, readonly Want[]>();
  for (const { deviceUid, readings, evaluated } of messages) {
    const device = devices.get(deviceUid);
    if (!device?.derived?.hasAverage) continue;
    const ofDevice = wants.get(device) ?? wantsOf(device);
    wants.set(device, ofDevice);
    for (const { time, metrics } of evaluated ?? readings) {
      const hour = Math.floor(time / HOUR_US);
      for (const { metric, known, newest, hours } of ofDevice) {
        if (hour !== known && time > newest && metrics.includes(metric)) hours.add(hour);
      }
    }
  }
  const missing = [...wants.values()].flat().filter(({ hours }) => hours.size > 0);
  if (missing.length === 0) return;
  const averages = await averagesOf(db, missing, now);
  const loaded = new Map(missing.map((want, at) => [want, averages[at]!]));
  for (const [{ derived }, ofDevice] of wants) {
    derived!.averages = new Map(ofDevice.map((want) => [want.key, loaded.get(want) ?? new Map()]));
  }
}

function wantsOf({ uid, metrics, derived }: DeviceRules): Want[] {
  const wants = new Map<string, Want>();
  for (const rule of derived!.rules) {
    for (const [index, { condition }] of rule.derived.conditions.entries()) {
      const { metric, measure } = condition;
      if (measure?.kind !== "deviation") continue;
      const [key, { hour }] = [keyOf(condition), rule.progress.memory[index]!];
      const same = wants.get(key);
      if (same && same.known !== hour) same.known = undefined;
      const { newest } = metrics.get(metric)!;
      if (!same) wants.set(key, { key, uid, metric, days: measure.days, known: hour, newest, hours: new Set() });
    }
  }
  return [...wants.values()];
}

/**
 * Computes averages, each of all readings of its hours alike.
 *
 * @returns those of each of `wanted`, by hour; hours without any reading have none
 */
export async function averagesOf(
  db: Db,
  wanted: readonly WantedAverages[],
  now: Date,
): Promise<ReadonlyMap<number, number>[]> {
  const asked = wanted.map(({ uid, metric, days, hours }) => {
    const before = new Set<number>();
    for (const hour of hours) for (let day = 1; day <= days; day++) before.add(hour - day * DAY_HOURS);
    return { uid, metric, hours: [...before] };
  });
  const stored = await readHours(db, asked, now);
  return wanted.map(({ days, hours }, which) => {
    const averages = new Map<number, number>();
    for (const hour of hours) {
      let [total, readings] = [0, 0];
      for (let day = 1; day <= days; day++) {
        const before = stored[which]!.get(hour - day * DAY_HOURS);
        total += before?.total ?? 0;
        readings += before?.readings ?? 0;
      }
      if (readings > 0) averages.set(hour, total / readings);
    }
    return averages;
  });
}
