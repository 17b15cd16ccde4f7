import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../lib/clock.ts";
import { randomIds } from "../lib/ids.ts";
import { certificateSteps } from "./certificate-steps.ts";
import { DemoState } from "./demo-state.ts";
import { enrollmentSteps } from "./enrollment-steps.ts";
import { faultSteps } from "./fault-steps.ts";
import { keepPublishing } from "./keep-publishing.ts";
import { monitoringSteps } from "./monitoring-steps.ts";
import { type Sinks, startSinks } from "./receivers/sinks.ts";
import { startService } from "./service.ts";
import type { Step } from "./step.ts";
import { untilStopped } from "./until-stopped.ts";

const STEPS: readonly Step[] = [...enrollmentSteps, ...monitoringSteps, ...faultSteps, ...certificateSteps];

export interface DemoOptions {
  /** Stop after the last step instead of publishing until Ctrl-C. */
  check: boolean;
  /** The service's initial environment, without the caller's `MUSTER_…` variables. */
  env: Record<string, string>;
  print(line: string): void;
}

/**
 * Starts the whole platform on its embedded database in a temporary folder and shows its main job through the public
 * interfaces with simulated devices. Resolves with the exit code: 0 only if every step succeeded.
 */
export async function runDemo({ check, env, print }: DemoOptions): Promise<number> {
  const started = systemClock.monotonicMs();
  const stopped = untilStopped();
  let demo: OpenDemo | undefined;
  try {
    print("Starting Muster on its embedded database …");
    demo = await openDemo(env, { showMessage: check ? () => undefined : print });
    const interrupted = stopped.then(() => Promise.reject(new Error("interrupted")));
    await Promise.race([runSteps(demo.state, print), interrupted]);
    print(`All steps succeeded in ${((systemClock.monotonicMs() - started) / 1000).toFixed(1)} s.`);
    if (!check) await keepPublishing(demo.state, stopped, print);
    return 0;
  } catch (error) {
    print(`✗ ${error instanceof Error ? error.message : error}`);
    return 1;
  } finally {
    await demo?.close();
  }
}

/** A started service with its receivers, before the first step. */
export interface OpenDemo {
  state: DemoState;
  /** Stops everything and leaves nothing behind. */
  close(): Promise<void>;
}

/** Starts the service and its receivers. @param showMessage called with a line for every e-mail and webhook message */
export async function openDemo(
  env: Record<string, string>,
  { showMessage }: { showMessage: (line: string) => void },
): Promise<OpenDemo> {
  const folder = await mkdtemp(join(tmpdir(), "muster-demo-"));
  let sinks: Sinks | undefined;
  let state: DemoState | undefined;
  const close = async () => {
    await stop(state);
    sinks?.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    sinks = await startSinks(folder, showMessage);
    const service = await startService(serviceEnvironment(env, sinks), join(folder, "data"));
    state = new DemoState({ service, sinks, folder, random });
    return { state, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function serviceEnvironment(env: Record<string, string>, sinks: Sinks): Record<string, string> {
  return {
    ...env,
    MUSTER_HTTP_HOST: "127.0.0.1",
    MUSTER_HTTP_PORT: "0",
    MUSTER_MQTT_HOST: "127.0.0.1",
    MUSTER_MQTT_PORT: "0",
    MUSTER_METRICS_PORT: "0",
    MUSTER_LOG_LEVEL: "info",
    ...sinks.env,
  };
}

/** Runs the steps one after the other. @throws Error at the first failure */
export async function runSteps(state: DemoState, print: (line: string) => void): Promise<void> {
  for (const [index, { title, run }] of STEPS.entries()) {
    const label = `${String(index + 1).padStart(2)}. ${title}`;
    try {
      print(`✓ ${label}: ${await run(state)}`);
    } catch (error) {
      throw new Error(`${label}: ${error instanceof Error ? error.message : error}`, { cause: error });
    }
  }
}

async function stop(state: DemoState | undefined): Promise<void> {
  if (!state) return;
  await Promise.all(state.pumps.map((pump) => pump.agent.close()));
  await state.service.stop();
}

function random(): number {
  return randomIds.bytes(4).readUInt32BE() / 2 ** 32;
}
