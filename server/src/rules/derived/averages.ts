import type { RuleValue } from "../../anomalies/anomalies.ts";
import type { Db } from "../../db/database.ts";
import { type PreparedMessage, readHours } from "../../telemetry/telemetry.ts";
import type { Condition } from "../condition.ts";
import type { Derived, DeviceRules } from "../device-rules.ts";
import { type AverageOf, HOUR_US } from "./condition-memory.ts";

const DAY_HOURS = 24;

/** Averages by hour since 1970, of each condition that {@link keyOf} tells apart. */
type Averages = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** Returns the averages of a condition that were loaded. */
export function averageIn(averages: Averages, condition: Condition<RuleValue>): AverageOf {
  return (hour) => averages.get(keyOf(condition))?.get(hour) ?? null;
}

/** Tells apart the averages that conditions need. */
export function keyOf({ metric, measure }: Condition<RuleValue>): string {
  return `${measure?.kind === "deviation" ? measure.days : 0} ${metric}`;
}

/**
 * Loads the averages of the hours that these messages are the first of. A rule remembers the average of its hour, so
 * that readings that arrive later do not change it, and an hour costs one look-up.
 */
export async function loadAverages(
  db: Db,
  devices: ReadonlyMap<string, DeviceRules>,
  messages: readonly PreparedMessage[],
  now: Date,
): Promise<void> {
  const hours = new Map<Derived, Map<string, Set<number>>>();
  for (const { deviceUid, readings, evaluated } of messages) {
    const derived = devices.get(deviceUid)?.derived;
    if (derived === undefined || !derived.rules.some(({ derived: { hasAverage } }) => hasAverage)) continue;
    const wanted = hours.get(derived) ?? new Map<string, Set<number>>();
    for (const { time, metrics } of evaluated ?? readings) {
      for (const metric of metrics) {
        const hoursOfMetric = wanted.get(metric) ?? new Set<number>();
        wanted.set(metric, hoursOfMetric.add(Math.floor(time / HOUR_US)));
      }
    }
    hours.set(derived, wanted);
  }
  for (const [uid, { derived }] of devices) {
    const wanted = derived && hours.get(derived);
    if (wanted) derived.averages = await averagesOf(db, uid, derived, wanted, now);
  }
}

async function averagesOf(
  db: Db,
  uid: string,
  { rules }: Derived,
  wanted: ReadonlyMap<string, ReadonlySet<number>>,
  now: Date,
): Promise<Averages> {
  const averages = new Map<string, ReadonlyMap<number, number>>();
  for (const { derived, progress } of rules) {
    for (const [index, { condition }] of derived.conditions.entries()) {
      const { metric, measure } = condition;
      if (measure?.kind !== "deviation" || averages.has(keyOf(condition))) continue;
      const hours = [...(wanted.get(metric) ?? [])].filter((hour) => hour !== progress.memory[index]!.hour);
      if (hours.length === 0) continue;
      averages.set(keyOf(condition), await averagesOfHours(db, { uid, metric }, measure.days, hours, now));
    }
  }
  return averages;
}

/**
 * Computes the average of a metric at the same hour of the `days` days before each of `hours`, of all readings alike.
 * Hours without any have none.
 */
export async function averagesOfHours(
  db: Db,
  which: { uid: string; metric: string },
  days: number,
  hours: readonly number[],
  now: Date,
): Promise<ReadonlyMap<number, number>> {
  const at = (hour: number) => new Date((hour * HOUR_US) / 1000);
  const [first, last] = [Math.min(...hours), Math.max(...hours)];
  const span = { from: at(first - days * DAY_HOURS), to: at(last) };
  const stored = new Map((await readHours(db, which, span, now)).map((each) => [each.hour, each]));
  const averages = new Map<number, number>();
  for (const hour of hours) {
    let [total, readings] = [0, 0];
    for (let day = 1; day <= days; day++) {
      const before = stored.get(hour - day * DAY_HOURS);
      total += before?.total ?? 0;
      readings += before?.readings ?? 0;
    }
    if (readings > 0) averages.set(hour, total / readings);
  }
  return averages;
}
