import { setTimeout } from "node:timers/promises";
import { AgentError } from "@muster/agent";
import { systemClock } from "../lib/clock.ts";
import type { DemoState } from "./demo-state.ts";

/** One step of the demo. `run` resolves with a fact to print, and throws if the step fails. */
export interface Step {
  /** A sentence that says what the step shows. */
  title: string;
  run(state: DemoState): Promise<string>;
}

/** The polling interval: an API key may send 120 requests per minute. */
const POLL_MS = 400;

/** Asserts a condition. @throws Error with `message` unless `condition` is true */
export function expect(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}

/** Resolves with the agent's error with this code. @throws Error if `work` succeeds or fails otherwise */
export async function refusal(work: Promise<unknown>, code: string): Promise<AgentError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof AgentError && error.code === code) return error;
  throw new Error(`expected a refusal with ${code}, got ${error ?? "success"}`);
}

/** Polls until there is an answer. @throws Error if there is none within `ms` */
export async function eventually<Answer>(
  what: string,
  ms: number,
  poll: () => Promise<Answer | undefined>,
): Promise<Answer> {
  const deadline = systemClock.monotonicMs() + ms;
  for (;;) {
    const answer = await poll();
    if (answer !== undefined) return answer;
    if (systemClock.monotonicMs() >= deadline) throw new Error(`${what}: not within ${ms / 1000} s`);
    await setTimeout(POLL_MS);
  }
}
