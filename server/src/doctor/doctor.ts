import type { Database, Db } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Clock } from "../lib/clock.ts";
import { disagreeing } from "./certificate-columns.ts";
import { ALARMS, CONCERNS } from "./concerns.ts";
import { ask, takeYourTime } from "./doctor-store.ts";
import { ESSENTIALS, INVARIANTS, type Invariant } from "./invariants.ts";

/** `must` is a rule that makes the service unhealthy when it is broken; `should` is worth a look. */
export type Level = "must" | "should";

export interface Finding {
  /** The rule, as a sentence. */
  name: string;
  level: Level;
  ok: boolean;
  /** How many things break it. */
  broken: number;
  /** The first few of them. */
  examples: string[];
}

export interface Diagnosis {
  healthy: boolean;
  checks: Finding[];
}

/** What a feature knows that SQL cannot ask: whatever should not be, by name. Asked by a deep look only. */
export interface Concern {
  /** The rule, as a sentence. */
  name: string;
  find(): AsyncIterable<string>;
}

export interface DoctorDeps {
  database: Database;
  clock: Clock;
  concerns?: readonly Concern[];
}

/** Says whether what must never be false is true, and what is worth a look (`muster doctor`). It only reads. */
export interface Doctor {
  /** `deep` asks every invariant of reliability.md of the whole database. */
  examine(options: { deep: boolean }): Promise<Diagnosis>;
}

export function createDoctor({ database: { db }, clock, concerns = [] }: DoctorDeps): Doctor {
  const askAll = async (level: Level, questions: readonly Invariant[]): Promise<Finding[]> => {
    const found: Finding[] = [];
    for (const question of questions) found.push(await answer(db, level, question, clock.now()));
    return found;
  };
  return {
    async examine({ deep }) {
      const checks = await askAll("must", [...ESSENTIALS, ...ALARMS, ...(deep ? INVARIANTS : [])]);
      if (deep) checks.push(await count("must", "stored certificates agree with their columns", disagreeing(db)));
      checks.push(...(await askAll("should", CONCERNS)));
      if (deep) for (const { name, find } of concerns) checks.push(await count("should", name, find()));
      return { healthy: checks.every(({ ok, level }) => ok || level === "should"), checks };
    },
  };
}

async function answer(db: Db, level: Level, { name, sql }: Invariant, now: Date): Promise<Finding> {
  const { broken, examples } = await inTransaction(db, async (tx) => {
    await takeYourTime(tx);
    return await ask(tx, sql, now);
  });
  return { name, level, ok: broken === 0, broken, examples };
}

async function count(level: Level, name: string, found: AsyncIterable<string>): Promise<Finding> {
  const examples: string[] = [];
  let broken = 0;
  for await (const what of found) {
    broken++;
    if (examples.length < 5) examples.push(what);
  }
  return { name, level, ok: broken === 0, broken, examples };
}
