import type { Schemas } from "../../api/client.ts";
import { isTemporary, Problem } from "../../api/problem.ts";

export type BulkOutcome = Schemas["BulkOutcome"];
type DeviceOutcome = Schemas["DeviceOutcome"];

export interface Progress {
  done: number;
  refused: number;
  total: number;
}

interface Run {
  /** Changes some of the devices in one request. */
  send: (ids: string[]) => Promise<BulkOutcome>;
  onProgress: (progress: Progress) => void;
  /** Whether the user has asked to stop after the present part. */
  stopped: () => boolean;
  wait: (seconds: number) => Promise<unknown>;
}

/** The size of a part, which takes about a second: progress shows, and a stop takes effect soon. */
export const PART = 50;
/** The number of attempts for a part while the service is too busy. */
const ATTEMPTS = 4;
const PAUSE_SECONDS = 2;

/**
 * Changes many devices, one part after the other, and collects the outcomes in the order of `ids`. A part that the
 * service had no time for is sent again. Devices that are left when a part fails, or the user stops, are `not_tried`;
 * repeating for them continues from there.
 * @throws the error of the first part: nothing has changed then
 */
export async function runInParts(ids: readonly string[], run: Run): Promise<BulkOutcome> {
  const outcomes = new Map<string, DeviceOutcome>();
  let rest = [...ids];
  let failure: Problem | undefined;
  while (rest.length > 0 && failure === undefined && !run.stopped()) {
    const part = rest.slice(0, PART);
    try {
      const { items } = await sendPatiently(part, run);
      for (const item of items) outcomes.set(item.id, item);
      const tried = new Set(items.filter(({ outcome }) => outcome !== "not_tried").map(({ id }) => id));
      if (tried.size === 0) break;
      rest = rest.filter((id) => !tried.has(id));
    } catch (error) {
      if (outcomes.size === 0 || !(error instanceof Problem)) throw error;
      failure = error;
    }
    run.onProgress({ ...counted([...outcomes.values()]), total: ids.length });
  }
  const items = ids.map((id) => outcomes.get(id) ?? notTried(id, failure));
  const { done, refused } = counted(items);
  return { done, refused, notTried: items.length - done - refused, items };
}

async function sendPatiently(part: string[], { send, wait }: Run): Promise<BulkOutcome> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send(part);
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof Problem) || !isTemporary(error)) throw error;
      await wait(error.retryAfterSeconds ?? PAUSE_SECONDS);
    }
  }
}

function counted(items: readonly DeviceOutcome[]): { done: number; refused: number } {
  const ofKind = (kind: string) => items.filter(({ outcome }) => outcome === kind).length;
  return { done: ofKind("done"), refused: ofKind("refused") };
}

function notTried(id: string, failure: Problem | undefined): DeviceOutcome {
  return { id, outcome: "not_tried", error: failure?.code ?? null, message: failure?.message ?? null };
}
