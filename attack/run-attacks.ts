import { unlessEnded } from "../load/interrupt.ts";
import { startSinks } from "../server/test/harness/http/sinks.ts";
import { type Attack, createEnvironment, type Environment, type Scene } from "./attack.ts";
import { createHonestTenant } from "./honest/honest-tenant.ts";
import { type Figures, measureHonest, type Phase } from "./honest/measure.ts";
import { startAssault } from "./hostile/start-assault.ts";
import { brokenPromises, PROMISES, SHORT_PROMISES } from "./promises.ts";
import type { Row } from "./report.ts";
import { type DatabaseKind, startService } from "./service.ts";

const WARM_UP: Phase = { seconds: 2, faults: 1 };
const PHASE: Phase = { seconds: 20, faults: 4 };
const SHORT_PHASE: Phase = { seconds: 4, faults: 2 };
/** The number of warnings from the end of the log that are shown beside a broken promise. */
const WARNINGS = 5;
/** Lets attacks on connections reach the limit within seconds; the honest tenant has some twenty. */
const SHORT_SETTINGS = { MUSTER_LIMIT_HTTPS_CONNECTIONS_PER_ADDRESS: "100" };

/**
 * Runs the attacks one after the other on one server.
 *
 * @param progress called with a line at each step
 * @param finished called with each row, so that the rows before an error are not lost
 */
export async function runAttacks(
  kind: DatabaseKind,
  attacks: readonly Attack[],
  short: boolean,
  progress: (line: string) => void,
  finished: (row: Row) => void,
): Promise<void> {
  const sinks = await startSinks();
  try {
    progress(`${kind}: the service starts`);
    const settings = { ...sinks.env, ...(short ? SHORT_SETTINGS : {}) };
    const service = await startService(kind, settings, async (database) => {
      for (const attack of attacks) await attack.seed?.(database, { short });
    });
    try {
      const honest = await createHonestTenant(service, sinks);
      await unlessEnded(runEach(kind, { service, sinks, honest, short }, attacks, progress, finished));
    } finally {
      await service.stop();
    }
  } finally {
    await sinks.stop();
  }
}

async function runEach(
  database: DatabaseKind,
  scene: Scene,
  attacks: readonly Attack[],
  progress: (line: string) => void,
  finished: (row: Row) => void,
): Promise<void> {
  const measure = (phase: Phase, begun?: Promise<void>) =>
    measureHonest(scene.service, scene.honest, scene.sinks, phase, begun);
  const phase = scene.short ? SHORT_PHASE : PHASE;
  await measure(WARM_UP);
  progress(`${database}: the honest tenant alone`);
  const without = await measure(phase);
  for (const [nth, attack] of attacks.entries()) {
    progress(`${database}: ${attack.name}: ${attack.what}`);
    const env = createEnvironment(scene, nth);
    const plan = await attack.prepare(env);
    const { under, done, unkept } = await underAttack(env, attack, plan, (begun) => measure(phase, begun));
    const promises = { ...(scene.short ? SHORT_PROMISES : PROMISES), ...(attack.memory && { memory: attack.memory }) };
    const idle = done.count === 0 ? ["the attack did not happen"] : [];
    const broken = [...brokenPromises(promises, without, under), ...unkept, ...idle];
    for (const promise of broken) progress(`  BROKEN ${promise}`);
    const warnings = scene.service.newWarnings();
    if (broken.length > 0) for (const line of warnings.slice(-WARNINGS)) progress(`  log: ${line.slice(0, 300)}`);
    finished({ database, attack: attack.name, without, under, done: done.text, broken });
  }
}

async function underAttack(
  env: Environment,
  attack: Attack,
  plan: unknown,
  measure: (begun: Promise<void>) => Promise<Figures>,
) {
  const assault = startAssault(attack, plan);
  try {
    const under = await measure(assault.begun);
    const unkept = (await attack.check?.(env, plan)) ?? [];
    return { under, unkept, done: await assault.stop() };
  } catch (error) {
    await assault.stop().catch(() => undefined);
    throw error;
  }
}
