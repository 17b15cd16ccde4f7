import type { RuleValue } from "../../anomalies/anomalies.ts";
import type { Db } from "../../db/database.ts";
import type { Condition } from "../condition.ts";
import { averageIn, averagesOfHours, keyOf } from "../derived/averages.ts";
import { HOUR_US } from "../derived/condition-memory.ts";
import type { Sent } from "../derived/derived-rule.ts";

/** The inclusive start and exclusive end of a dry run. */
export interface Period {
  from: Date;
  to: Date;
  now: Date;
}

/** Loads the averages of all hours of the period that the conditions compare with. */
export async function averagesOfPeriod(
  db: Db,
  uid: string,
  conditions: readonly Condition<RuleValue>[],
  { from, to, now }: Period,
): Promise<Sent["averageOf"]> {
  const [first, last] = [from, to].map((time) => Math.floor((time.getTime() * 1000) / HOUR_US)) as [number, number];
  const averages = new Map<string, ReadonlyMap<number, number>>();
  for (const condition of conditions) {
    const { metric, measure } = condition;
    if (measure?.kind !== "deviation" || averages.has(keyOf(condition))) continue;
    const hours = Array.from({ length: last - first + 1 }, (_, n) => first + n);
    averages.set(keyOf(condition), await averagesOfHours(db, { uid, metric }, measure.days, hours, now));
  }
  return (condition) => averageIn(averages, condition);
}
