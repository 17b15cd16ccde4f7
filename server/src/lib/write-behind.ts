import { coalesceRuns } from "./coalesce-runs.ts";

/** A write-behind queue: callers do not wait for their writes, which are collected for a while and written together. */
export interface WriteBehind {
  /** Schedules a write of the collected items within the delay. */
  schedule(): void;
  /** Writes now. Resolves when everything collected before the call is written; rejects if the write failed. */
  flush(): Promise<void>;
  /** Writes one last time. */
  stop(): Promise<void>;
}

export interface WriteBehindOptions {
  delayMs: number;
  /** Retries a failed scheduled write. Absent if `write` never rejects. */
  retry?: { afterMs: number; onFailure(error: Error): void };
}

/**
 * Creates a write-behind queue.
 *
 * @param write writes the collected items; before it rejects, it keeps them for the next call
 */
export function createWriteBehind(write: () => Promise<void>, { delayMs, retry }: WriteBehindOptions): WriteBehind {
  const { run: flush } = coalesceRuns(write);
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  function scheduleIn(ms: number): void {
    if (stopped) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      flush().catch((error: Error) => {
        if (!retry) throw error;
        retry.onFailure(error);
        scheduleIn(retry.afterMs);
      });
    }, ms).unref();
  }

  return {
    schedule: () => scheduleIn(delayMs),
    flush,
    stop() {
      stopped = true;
      clearTimeout(timer);
      return flush();
    },
  };
}
