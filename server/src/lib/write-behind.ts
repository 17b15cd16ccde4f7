import { coalesceRuns } from "./coalesce-runs.ts";

/** Writes that callers do not wait for: they are collected for a while and written together. */
export interface WriteBehind {
  /** Has what was collected written within the delay. */
  schedule(): void;
  /** Writes now; resolves when everything collected before the call is written, rejects when the write failed. */
  flush(): Promise<void>;
  /** Writes one last time. */
  stop(): Promise<void>;
}

export interface WriteBehindOptions {
  delayMs: number;
  /** Repeats a scheduled write that failed. Absent where `write` never rejects. */
  retry?: { afterMs: number; onFailure(error: Error): void };
}

/** @param write writes what was collected until now; before it rejects, it keeps that for the next call */
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
