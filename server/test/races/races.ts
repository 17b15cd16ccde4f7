import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { AVAILABILITY } from "../../src/doctor/checks.ts";
import { createDoctor } from "../../src/doctor/doctor.ts";
import { startRegistry } from "../harness/enrollment.ts";
import { type Job, type Outcome, runJobs } from "./race-jobs.ts";

export type { Job, Outcome } from "./race-jobs.ts";

const PROCESSES = 2;
const UNCONFIRMED = "every channel of a group is confirmed by its receiver";

/** The environment of a race. */
export type RaceTrack = Awaited<ReturnType<typeof startRaces>>;

/**
 * Two server processes on one database. The embedded database belongs to one process and has one connection, so there
 * the jobs run concurrently within this process. That tests the rules but causes no contention.
 */
export async function startRaces() {
  const registry = await startRegistry();
  const url = registry.database.url;
  const workers = url === undefined ? [] : await Promise.all(Array.from({ length: PROCESSES }, () => worker(url)));

  async function worker(databaseUrl: string): Promise<ChildProcess> {
    const path = join(import.meta.dirname, "race-worker.ts");
    const args = [databaseUrl, registry.clock.now().toISOString()];
    const child = fork(path, args, { serialization: "advanced", execArgv: [] });
    const [message] = await once(child, "message");
    assert.equal(message, "ready");
    return child;
  }

  /**
   * Runs all jobs concurrently, distributed round-robin over the processes.
   * @returns their outcomes in the order of the jobs
   */
  async function race(jobs: Job[]): Promise<Outcome[]> {
    if (workers.length === 0) return runJobs(registry, jobs);
    const shares = workers.map((_, index) => jobs.filter((_, at) => at % workers.length === index));
    const now = registry.clock.now();
    const answers = await Promise.all(
      workers.map(async (child, index) => {
        const answer = once(child, "message");
        child.send({ jobs: shares[index], now });
        return (await answer)[0] as Outcome[];
      }),
    );
    return jobs.map((_, at) => answers[at % workers.length]![Math.floor(at / workers.length)]!);
  }

  return {
    ...registry,
    race,
    /**
     * Asserts every check of the doctor on the whole database, except checks that need a running service or a receiver
     * who confirms.
     */
    async assertConsistent() {
      const { checks } = await createDoctor(registry).examine({ deep: true });
      const running = new Set([...AVAILABILITY.map(({ name }) => name), UNCONFIRMED]);
      const broken = checks.filter(({ name, ok }) => !ok && !running.has(name));
      assert.ok(checks.length > running.size + 10);
      assert.deepEqual(broken, []);
    },
    async stop() {
      for (const child of workers) {
        const exit = once(child, "exit");
        child.disconnect();
        await exit;
      }
      await registry.stop();
    },
  };
}

/** Counts each outcome, e.g. `{ ok: 1, claim_exhausted: 49 }`. */
export function tally(outcomes: Outcome[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { code } of outcomes) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}
