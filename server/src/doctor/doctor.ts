import type { Database } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Clock } from "../lib/clock.ts";
import { wrongCertificates } from "./certificate-columns.ts";
import { findViolations, MAX_EXAMPLES } from "./check-store.ts";
import { AVAILABILITY, type Check, INVARIANTS, TIMELINESS, WARNINGS } from "./checks.ts";

/** A broken `must` makes the service unhealthy; a broken `should` needs attention. */
export type Level = "must" | "should";

export interface Finding {
  /** The rule that was checked, as a sentence. */
  name: string;
  level: Level;
  ok: boolean;
  /** The number of violations. */
  broken: number;
  /** The first few violations. */
  examples: string[];
}

export interface Diagnosis {
  healthy: boolean;
  checks: Finding[];
}

/** A check that SQL alone cannot make, made by a feature when the examination is deep. Level `should`. */
export interface FeatureCheck {
  /** The rule, as a sentence. */
  name: string;
  /** Names each violation. */
  violations(): AsyncIterable<string>;
}

export interface DoctorDeps {
  database: Database;
  clock: Clock;
  featureChecks?: readonly FeatureCheck[];
}

/** Checks the invariants and lists what needs attention (`muster doctor`). It only reads. */
export interface Doctor {
  /** `deep` also checks every invariant on the whole database. */
  examine(options: { deep: boolean }): Promise<Diagnosis>;
}

export function createDoctor({ database: { db }, clock, featureChecks = [] }: DoctorDeps): Doctor {
  const run = async (level: Level, check: Check): Promise<Finding> => {
    const found = await inTransaction(db, (tx) => findViolations(tx, check, clock.now()));
    return { name: check.name, level, ok: found.broken === 0, ...found };
  };
  return {
    async examine({ deep }) {
      const checks: Finding[] = [];
      for (const each of [...AVAILABILITY, ...TIMELINESS]) checks.push(await run("must", each));
      if (deep) for (const each of INVARIANTS) checks.push(await run("must", each));
      if (deep) checks.push(await count("must", "the columns of a certificate match its DER", wrongCertificates(db)));
      for (const each of WARNINGS) checks.push(await run("should", each));
      if (deep)
        for (const { name, violations } of featureChecks) checks.push(await count("should", name, violations()));
      return { healthy: checks.every(({ ok, level }) => ok || level === "should"), checks };
    },
  };
}

async function count(level: Level, name: string, violations: AsyncIterable<string>): Promise<Finding> {
  const examples: string[] = [];
  let broken = 0;
  for await (const what of violations) {
    broken++;
    if (examples.length < MAX_EXAMPLES) examples.push(what);
  }
  return { name, level, ok: broken === 0, broken, examples };
}
