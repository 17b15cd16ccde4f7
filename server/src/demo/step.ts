import { setTimeout } from "node:timers/promises";
import { AgentError } from "@muster/agent";
import { systemClock } from "../lib/clock.ts";
import type { Plant } from "./plant.ts";

/** One step of the demo: what it shows, and the work, which resolves with a fact to print or throws. */
export interface Step {
  title: string;
  run(plant: Plant): Promise<string>;
}

/** A key admits 120 requests a minute. */
const POLL_MS = 200;

export function expect(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}

/** Resolves with the agent's refusal; throws when `work` succeeds or fails otherwise. */
export async function refusal(work: Promise<unknown>, code: string): Promise<AgentError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof AgentError && error.code === code) return error;
  throw new Error(`expected a refusal with ${code}, got ${error ?? "success"}`);
}

/** Asks until there is an answer; throws when there is none within `ms`. */
export async function eventually<Answer>(
  what: string,
  ms: number,
  ask: () => Promise<Answer | undefined>,
): Promise<Answer> {
  const giveUp = systemClock.monotonicMs() + ms;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (systemClock.monotonicMs() >= giveUp) throw new Error(`${what}: not within ${ms / 1000} s`);
    await setTimeout(POLL_MS);
  }
}
