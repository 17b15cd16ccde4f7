import assert from "node:assert/strict";
import type { Counter } from "prom-client";
import type { Features } from "../../src/features.ts";
import { eventually } from "./eventually.ts";

type Process = Pick<Features, "metrics" | "telemetry">;

/**
 * Returns a function that waits for storage: with the ingest stream, messages are stored some milliseconds after they
 * are acknowledged. `processes` must be all processes that use the stream.
 * @returns a function that resolves when all messages acknowledged before its call are stored
 */
export function storedBy(processes: readonly Process[]): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= running.then(() => {
      next = undefined;
      running = allStored(processes);
      return running;
    });
    return next;
  };
}

async function allStored(processes: readonly Process[]): Promise<void> {
  await Promise.all(processes.map(({ telemetry }) => telemetry.drain()));
  const sum = async (counter: (metrics: Process["metrics"]) => Counter) => {
    const values = await Promise.all(processes.map(async ({ metrics }) => (await counter(metrics).get()).values));
    return values.flat().reduce((total, { value }) => total + value, 0);
  };
  const appended = await sum(({ streamAppended }) => streamAppended);
  const isStored = async () =>
    (await sum(({ streamStored }) => streamStored)) + (await sum(({ streamRefused }) => streamRefused)) >= appended;
  assert.ok((await isStored()) || (await eventually(isStored)), "what the stream holds is not stored");
}
