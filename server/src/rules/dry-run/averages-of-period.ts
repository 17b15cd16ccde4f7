import type { RuleValue } from "../../anomalies/anomalies.ts";
import type { Db } from "../../db/database.ts";
import type { Condition } from "../condition.ts";
import { type Averages, averageIn, averagesOf, keyOf } from "../derived/averages.ts";
import { type AverageOf, HOUR_US } from "../derived/condition-memory.ts";

/** The inclusive start and exclusive end of a dry run. */
export interface Period {
  from: Date;
  to: Date;
  now: Date;
}

/** The number of hours whose averages are loaded at once. Hours before the next reading are left out. */
const HOURS_AT_ONCE = 100;

/** The averages that the conditions of a dry run compare with. They are loaded as the readings get there. */
export class AveragesOfPeriod {
  readonly #wanted = new Map<string, { uid: string; metric: string; days: number }>();
  #averages: Averages = new Map();
  /** The hour up to which averages are loaded, counted since 1970. */
  #past = Number.NEGATIVE_INFINITY;

  constructor(uid: string, conditions: readonly Condition<RuleValue>[]) {
    for (const condition of conditions) {
      const { metric, measure } = condition;
      if (measure?.kind === "deviation") this.#wanted.set(keyOf(condition), { uid, metric, days: measure.days });
    }
  }

  /**
   * Loads what readings at `time` need, in microseconds since 1970. Times never decrease.
   *
   * @param mayLoad asked before each statement
   * @returns `false` if it may not be loaded
   */
  async loadFor(db: Db, time: number, { to, now }: Period, mayLoad: () => boolean): Promise<boolean> {
    const hour = Math.floor(time / HOUR_US);
    if (hour < this.#past || this.#wanted.size === 0) return true;
    this.#past = Math.min(hour + HOURS_AT_ONCE, Math.ceil((to.getTime() * 1000) / HOUR_US));
    const hours = Array.from({ length: this.#past - hour }, (_, n) => hour + n);
    const averages = new Map<string, ReadonlyMap<number, number>>();
    for (const [key, wanted] of this.#wanted) {
      if (!mayLoad()) return false;
      const [found] = await averagesOf(db, [{ ...wanted, hours }], now);
      averages.set(key, found!);
    }
    this.#averages = averages;
    return true;
  }

  readonly averageOf = (condition: Condition<RuleValue>): AverageOf => averageIn(this.#averages, condition);
}
