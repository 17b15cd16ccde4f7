import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import {
  type EnrollOptions,
  enroll,
  type Identity,
  MusterAgent,
  type MusterAgentOptions,
  type Runtime,
  systemRuntime,
} from "../../src/index.ts";
import { type RemoteService, startRemote } from "./service.ts";

/** Creates a folder that is removed after the test. */
export async function freshFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "muster-agent-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return join(folder, "state");
}

/** Starts a remote service and creates an empty state folder. */
export async function setup(t: TestContext): Promise<{ remote: RemoteService; stateDir: string }> {
  const remote = await startRemote();
  t.after(() => remote.close());
  return { remote, stateDir: await freshFolder(t) };
}

/** A backoff without delays, for tests in which time does not matter. */
export const hasty: Runtime = { ...systemRuntime, random: () => 0, sleep: () => Promise.resolve() };

export function enrollment(remote: RemoteService, stateDir: string): EnrollOptions {
  return {
    server: remote.url,
    claimCode: "CLAIM-AAAA-BBBB-CCCC",
    hardwareFingerprint: "hw-1",
    hardwareModel: "Pump 3000",
    stateDir,
    caPem: remote.caPem,
    runtime: hasty,
  };
}

/** Starts a remote service and enrolls a device with it. */
export async function enrolled(t: TestContext) {
  const { remote, stateDir } = await setup(t);
  const identity: Identity = await enroll(enrollment(remote, stateDir));
  return { remote, stateDir, identity };
}

/** Returns a backoff whose delays are recorded and end immediately. */
function recorder() {
  const sleeps: number[] = [];
  const sleep = async (ms: number) => {
    sleeps.push(ms);
    await new Promise(setImmediate);
  };
  return { sleeps, runtime: { ...systemRuntime, random: () => 0.5, sleep } };
}

/** Returns an agent of an enrolled device that has not connected yet, and the delays of its backoff. */
export async function started(t: TestContext, options: Partial<MusterAgentOptions> = {}) {
  const { remote, stateDir } = await enrolled(t);
  const { sleeps, runtime } = recorder();
  const agent = new MusterAgent({ stateDir, runtime, autoRenew: false, ...options });
  t.after(() => agent.close());
  return { remote, broker: remote.broker, stateDir, agent, sleeps };
}
