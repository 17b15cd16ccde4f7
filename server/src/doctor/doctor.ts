import type { Database } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Clock } from "../lib/clock.ts";
import { wrongCertificates } from "./certificate-columns.ts";
import { applies, findViolations, MAX_EXAMPLES } from "./check-store.ts";
import { AVAILABILITY, type Check, INVARIANTS, TIMELINESS, WARNINGS } from "./checks.ts";
import type { ProcessCheck } from "./process-checks.ts";

export { natsCheck, natsProbe, type ProcessCheck, streamCheck } from "./process-checks.ts";

/** The severity: a broken `must` makes the service unhealthy; a broken `should` needs attention. */
export type Level = "must" | "should";

export interface Finding {
  /** The checked rule, as a sentence. */
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

/** A check of level `should` that SQL alone cannot make, provided by a feature for deep examinations. */
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
  processChecks?: readonly ProcessCheck[];
}

/**
 * Checks the invariants and lists what needs attention (`muster doctor`), skipping checks that do not apply to this
 * database. It only reads.
 */
export interface Doctor {
  /** Examines the service; `deep` also checks every invariant on the whole database. */
  examine(options: { deep: boolean }): Promise<Diagnosis>;
}

export function createDoctor({ database, clock, featureChecks = [], processChecks = [] }: DoctorDeps): Doctor {
  const { db } = database;
  const run = async (level: Level, check: Check): Promise<Finding> => {
    const found = await inTransaction(db, (tx) => findViolations(tx, check, clock.now()));
    return { name: check.name, level, ok: found.broken === 0, ...found };
  };
  const runAll = async (level: Level, all: readonly Check[]): Promise<Finding[]> => {
    const found: Finding[] = [];
    for (const each of all) if (await applies(database, each)) found.push(await run(level, each));
    return found;
  };
  return {
    async examine({ deep }) {
      const checks = await runAll("must", [...AVAILABILITY, ...TIMELINESS]);
      for (const each of processChecks) checks.push(...(await findProblem(each)));
      if (deep) checks.push(...(await runAll("must", INVARIANTS)));
      if (deep) checks.push(await count("must", "the columns of a certificate match its DER", wrongCertificates(db)));
      checks.push(...(await runAll("should", WARNINGS)));
      if (deep)
        for (const { name, violations } of featureChecks) checks.push(await count("should", name, violations()));
      return { healthy: checks.every(({ ok, level }) => ok || level === "should"), checks };
    },
  };
}

async function findProblem({ name, advice, problem }: ProcessCheck): Promise<Finding[]> {
  const found = await problem();
  if (found === undefined) return [];
  const examples = found === null ? [] : [`${found}: ${advice}`];
  return [{ name, level: "must", ok: found === null, broken: examples.length, examples }];
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
