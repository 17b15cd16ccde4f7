import { fstatSync } from "node:fs";
import { createInterface } from "node:readline";
import { adviceFor } from "../advice.ts";
import { MusterAgent } from "../agent.ts";
import { AgentError, asAgentError } from "../errors.ts";
import { loadIdentity } from "../state/state.ts";
import { inWords, printResult } from "./output.ts";

interface RunFlags {
  stateDir: string;
  topic?: string;
  drainTimeout: number;
  json?: boolean;
}

/** The most unacknowledged lines. Beyond it standard input is not read, so that a file of any length loses no line. */
const MOST_WAITING = 1000;
/** Refusals in a row after which a run whose input has ended fails. */
const PATIENCE = 3;

/**
 * `muster-agent run`. At the end of input from a pipe or a file it sends what is left and returns. With a terminal or `/dev/null` as
 * input (a system service) it runs until SIGINT or SIGTERM.
 */
export async function run(flags: RunFlags): Promise<void> {
  await loadIdentity(flags.stateDir);
  const agent = new MusterAgent({ stateDir: flags.stateDir });
  printEvents(agent);
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  // Under npx one Ctrl-C arrives twice; the second must not interrupt the stop that the first began.
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  // Rejects only when closed; failures to connect are events.
  agent.connect().catch(() => {});
  try {
    const underway = await publishInput(agent, flags, stop.signal);
    if (!stop.signal.aborted) await drain(agent, underway, flags.drainTimeout, stop.signal);
  } finally {
    await agent.close();
    process.stdin.destroy();
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
  const { acknowledged, dropped, waiting } = agent.counts;
  if (flags.json) printResult(true, { acknowledged, dropped, unsent: waiting }, []);
}

/** The lines that are published and not yet acknowledged. Its promises never reject. */
class Underway {
  readonly #messages = new Set<Promise<void>>();
  /** A failure that every further line would have too, such as a topic that the certificate does not contain. */
  failure: AgentError | undefined;

  get size(): number {
    return this.#messages.size;
  }

  add(publishing: Promise<void>): void {
    const settled = publishing
      .catch((thrown) => {
        const error = asAgentError(thrown);
        // Dropped messages are reported by the agent's event.
        if (error.code !== "dropped" && error.code !== "closed") this.failure ??= error;
      })
      .finally(() => this.#messages.delete(settled));
    this.#messages.add(settled);
  }

  one = (): Promise<unknown> => Promise.race(this.#messages);
  all = (): Promise<unknown> => Promise.all(this.#messages);
}

async function publishInput(agent: MusterAgent, flags: RunFlags, signal: AbortSignal): Promise<Underway> {
  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY, signal });
  const underway = new Underway();
  for await (const line of lines) {
    if (signal.aborted || underway.failure !== undefined) break;
    if (line.trim() === "") continue;
    underway.add(agent.publish(line, flags.topic === undefined ? {} : { topic: flags.topic }));
    if (underway.size >= MOST_WAITING) await Promise.race([underway.one(), aborted(signal)]);
  }
  if (staysAfterInput() && underway.failure === undefined) await aborted(signal);
  return underway;
}

/** Whether the end of standard input does not mean to stop: a terminal, or a device such as /dev/null. */
function staysAfterInput(): boolean {
  try {
    return process.stdin.isTTY || fstatSync(0).isCharacterDevice();
  } catch {
    return true;
  }
}

/** Waits for every acknowledgement. Throws when the broker keeps refusing, or after `timeout` seconds. */
async function drain(agent: MusterAgent, underway: Underway, timeout: number, signal: AbortSignal): Promise<void> {
  const { promise: gaveUp, reject } = Promise.withResolvers<never>();
  agent.on("refused", ({ error, consecutive }) => {
    if (consecutive >= PATIENCE) reject(error);
  });
  const timer = setTimeout(() => {
    reject(new AgentError("unreachable", `${agent.counts.waiting} messages were not delivered in ${timeout} s.`));
  }, timeout * 1000);
  try {
    await Promise.race([underway.all(), gaveUp, aborted(signal)]);
    if (underway.failure !== undefined) throw underway.failure;
  } finally {
    clearTimeout(timer);
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** Prints events to stderr, one line each. */
function printEvents(agent: MusterAgent): void {
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
  agent.on("dropped", ({ count, reason }) => say(`dropped ${count} messages: ${reason}`));
}
