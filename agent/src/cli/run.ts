import { fstatSync } from "node:fs";
import { createInterface } from "node:readline";
import { MusterAgent, type MusterAgentOptions } from "../agent.ts";
import type { MqttVersion } from "../connection/reasons.ts";
import { AgentError, asAgentError } from "../errors.ts";
import { loadIdentity } from "../state/state.ts";
import { withResolvers } from "../with-resolvers.ts";
import { printResult } from "./output.ts";
import { printCommand } from "./print-command.ts";
import { PATIENCE, printEvents } from "./print-events.ts";

interface RunFlags {
  stateDir: string;
  topic?: string;
  drainTimeout: number;
  mqtt?: MqttVersion;
  commands?: boolean;
  json?: boolean;
}

/**
 * The maximum number of unacknowledged lines. Above it standard input is not read, so that no line of a file is lost,
 * however long it is.
 */
const MOST_WAITING = 1000;

/**
 * Runs the agent (`muster-agent run`). At the end of input from a pipe or a file it sends the remaining messages and
 * returns. With a terminal or `/dev/null` as input (a system service) it runs until SIGINT or SIGTERM.
 */
export async function run(flags: RunFlags): Promise<void> {
  const agent = new MusterAgent(await agentOptions(flags));
  printEvents(agent);
  const stop = new AbortController();
  let revoked: AgentError | undefined;
  agent.on("revoked", ({ error }) => {
    revoked = error;
    stop.abort();
  });
  const onSignal = () => stop.abort();
  // Under npx one Ctrl-C arrives twice; the second must not interrupt the stop that the first began.
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  // This rejects only when the agent is closed; failures to connect are events.
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
  if (revoked !== undefined) throw withUnsent(revoked, waiting);
  if (flags.json) printResult(true, { acknowledged, dropped, unsent: waiting }, []);
}

async function agentOptions({ stateDir, mqtt, commands }: RunFlags): Promise<MusterAgentOptions> {
  const { device } = await loadIdentity(stateDir);
  const options: MusterAgentOptions = { stateDir, mqttVersion: mqtt ?? "auto" };
  if (!commands) return options;
  if (device.subscribeTopics.length === 0) {
    const message = "This device's certificate permits no subscriptions, so no command can reach it.";
    throw new AgentError("subscription_refused", message);
  }
  return { ...options, onCommand: printCommand };
}

function withUnsent({ code, message, reasonCode }: AgentError, waiting: number): AgentError {
  const unsent = waiting === 0 ? "" : ` ${waiting} messages were not sent.`;
  return new AgentError(code, `${message}${unsent}`, reasonCode === undefined ? {} : { reasonCode });
}

/** The lines that are published but not yet acknowledged. Its promises never reject. */
class Underway {
  readonly #messages = new Set<Promise<void>>();
  /** A failure that every further line would share, such as a topic that is not in the certificate. */
  failure: AgentError | undefined;
  /** The broker's last refusal of a single message; `refused` counts the refusals. */
  refusal: AgentError | undefined;
  refused = 0;

  get size(): number {
    return this.#messages.size;
  }

  add(publishing: Promise<void>): void {
    const finished = publishing
      .catch((thrown) => {
        this.#failed(asAgentError(thrown));
      })
      .finally(() => this.#messages.delete(finished));
    this.#messages.add(finished);
  }

  #failed(error: AgentError): void {
    if (error.reasonCode !== undefined) {
      this.refused += 1;
      this.refusal = error;
      return;
    }
    // Dropped messages are reported by the agent's event.
    if (error.code !== "dropped" && error.code !== "closed") this.failure ??= error;
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

/**
 * Reports whether the agent keeps running after the end of standard input: for a terminal, or a device such as
 * /dev/null.
 */
function staysAfterInput(): boolean {
  try {
    return process.stdin.isTTY || fstatSync(0).isCharacterDevice();
  } catch {
    return true;
  }
}

/** Waits for every acknowledgement. Throws if the broker keeps refusing, or after `timeout` seconds. */
async function drain(agent: MusterAgent, underway: Underway, timeout: number, signal: AbortSignal): Promise<void> {
  const { promise: gaveUp, reject } = withResolvers<never>();
  agent.on("refused", ({ error, consecutive }) => {
    if (consecutive >= PATIENCE) reject(error);
  });
  const timer = setTimeout(() => {
    reject(undelivered(agent, timeout));
  }, timeout * 1000);
  try {
    await Promise.race([underway.all(), gaveUp, aborted(signal)]);
    if (underway.failure !== undefined) throw underway.failure;
    if (underway.refusal !== undefined) throw refusalOf(underway);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the error for messages that are not acknowledged after `timeout` seconds. */
function undelivered({ connected, counts: { waiting } }: MusterAgent, timeout: number): AgentError {
  const messages = waiting === 1 ? "1 message" : `${waiting} messages`;
  if (connected)
    return new AgentError("not_acknowledged", `The server did not acknowledge ${messages} in ${timeout} s.`);
  return new AgentError("unreachable", `${messages} ${waiting === 1 ? "was" : "were"} not delivered in ${timeout} s.`);
}

function refusalOf({ refused, refusal }: Underway): AgentError {
  const { code, message, reasonCode } = refusal!;
  const count = refused === 1 ? "1 message was" : `${refused} messages were`;
  return new AgentError(code, `${count} refused and not sent again. ${message}`, { reasonCode: reasonCode! });
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
