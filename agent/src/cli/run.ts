import { fstatSync } from "node:fs";
import { createInterface } from "node:readline";
import { adviceFor } from "../advice.ts";
import { MusterAgent } from "../agent.ts";
import { AgentError, asAgentError } from "../errors.ts";
import { inWords, printResult } from "./output.ts";

interface RunFlags {
  stateDir: string;
  topic?: string;
  drainTimeout: number;
  json?: boolean;
}

/** Lines on their way at once; beyond it standard input is not read, so a file of any length loses nothing. */
const MOST_WAITING = 1000;
/** Refusals in a row after which a run whose input has ended gives up. */
const PATIENCE = 3;

/**
 * `muster-agent run`. At the end of input from a pipe or a file it delivers what is left and returns; with a terminal or
 * `/dev/null` as input (a system service) it stays until SIGINT or SIGTERM.
 */
export async function run(flags: RunFlags): Promise<void> {
  const agent = new MusterAgent({ stateDir: flags.stateDir });
  tell(agent);
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once("SIGINT", onSignal).once("SIGTERM", onSignal);
  const connecting = agent.connect();
  // A folder without an identity fails at once; a missing network does not fail.
  const unusable = new Promise<never>((_, reject) => connecting.catch(reject));
  unusable.catch(() => {});
  try {
    await Promise.race([publishInput(agent, flags, stop.signal), unusable]);
    if (!stop.signal.aborted) await Promise.race([drain(agent, flags.drainTimeout, stop.signal), unusable]);
  } finally {
    await agent.close();
    process.stdin.destroy();
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
  const { acknowledged, dropped, waiting } = agent.counts;
  if (flags.json) printResult(true, { acknowledged, dropped, unsent: waiting }, []);
}

async function publishInput(agent: MusterAgent, flags: RunFlags, signal: AbortSignal): Promise<void> {
  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY, signal });
  const underway = new Set<Promise<void>>();
  let failure: AgentError | undefined;
  for await (const line of lines) {
    if (signal.aborted || failure !== undefined) break;
    if (line.trim() === "") continue;
    const sent = agent
      .publish(line, flags.topic === undefined ? {} : { topic: flags.topic })
      .catch((thrown) => {
        const error = asAgentError(thrown);
        // Dropped messages are reported by the agent's event; anything else is true of every line that follows.
        if (error.code !== "dropped" && error.code !== "closed") failure ??= error;
      })
      .finally(() => underway.delete(sent));
    underway.add(sent);
    // One turn of the event loop, so that a refused topic stops at the first line.
    await new Promise(setImmediate);
    if (underway.size >= MOST_WAITING) await Promise.race([...underway, aborted(signal)]);
  }
  if (failure !== undefined) throw failure;
  if (staysAfterInput() && !signal.aborted) await aborted(signal);
}

/** Whether standard input says nothing about when to stop: a terminal, or a device such as /dev/null. */
function staysAfterInput(): boolean {
  try {
    return process.stdin.isTTY || fstatSync(0).isCharacterDevice();
  } catch {
    return true;
  }
}

/** Waits for every acknowledgement. Throws when the broker keeps refusing, or after `timeout` seconds. */
async function drain(agent: MusterAgent, timeout: number, signal: AbortSignal): Promise<void> {
  const { promise: gaveUp, reject } = Promise.withResolvers<never>();
  agent.on("refused", ({ error, consecutive }) => {
    if (consecutive >= PATIENCE) reject(error);
  });
  const timer = setTimeout(() => {
    reject(new AgentError("unreachable", `${agent.counts.waiting} messages were not delivered in ${timeout} s.`));
  }, timeout * 1000);
  try {
    await Promise.race([agent.drained(), gaveUp, aborted(signal)]);
  } finally {
    clearTimeout(timer);
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** Says on stderr what happens, one line an event. */
function tell(agent: MusterAgent): void {
  const say = (text: string) => console.error(text);
  const wait = (ms: number) => `next try in ${ms < 60_000 ? `${Math.ceil(ms / 1000)} s` : inWords(ms)}`;
  agent.on("connected", ({ deviceId }) => say(`connected as ${deviceId}`));
  agent.on("disconnected", ({ reason }) => say(`disconnected: ${reason}`));
  agent.on("unreachable", ({ error, retryInMs }) => say(`${error.code}: ${error.message} ${wait(retryInMs)}`));
  agent.on("refused", ({ error, consecutive, retryInMs }) => {
    say(`refused: ${error.message} ${wait(retryInMs)}`);
    if (consecutive === PATIENCE) say(adviceFor(error) ?? "");
  });
  agent.on("renewed", ({ certExpiresAt }) => say(`renewed, valid until ${certExpiresAt.toISOString()}`));
  agent.on("renewal-failed", ({ error, final, retryInMs }) => {
    say(`renewal failed: ${error.code}: ${error.message} ${final ? (adviceFor(error) ?? "") : wait(retryInMs)}`);
  });
  agent.on("dropped", ({ count, reason }) => say(`gave up ${count} messages: ${reason}`));
}
