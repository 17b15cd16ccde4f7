import type { Database, Db } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Clock } from "../lib/clock.ts";
import { disagreeing } from "./certificate-columns.ts";
import { ask, takeYourTime } from "./doctor-store.ts";
import { ESSENTIALS, INVARIANTS } from "./invariants.ts";

export interface Finding {
  /** The rule, as a sentence. */
  name: string;
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

/** Says whether what must never be false is true (`muster doctor`). It only reads. */
export interface Doctor {
  /** `deep` asks every invariant of reliability.md of the whole database. */
  examine(options: { deep: boolean }): Promise<Diagnosis>;
}

export function createDoctor({ database, clock }: { database: Database; clock: Clock }): Doctor {
  return {
    async examine({ deep }) {
      const questions = deep ? [...ESSENTIALS, ...INVARIANTS] : ESSENTIALS;
      const checks: Finding[] = [];
      for (const { name, sql } of questions) checks.push(await answer(database.db, name, sql, clock.now()));
      if (deep) checks.push(await columns(database.db));
      return { healthy: checks.every((check) => check.ok), checks };
    },
  };
}

async function answer(db: Db, name: string, sql: string, now: Date): Promise<Finding> {
  const { broken, examples } = await inTransaction(db, async (tx) => {
    await takeYourTime(tx);
    return await ask(tx, sql, now);
  });
  return { name, ok: broken === 0, broken, examples };
}

async function columns(db: Db): Promise<Finding> {
  const examples: string[] = [];
  let broken = 0;
  for await (const wrong of disagreeing(db)) {
    broken++;
    if (examples.length < 5) examples.push(wrong);
  }
  return { name: "stored certificates agree with their columns", ok: broken === 0, broken, examples };
}
