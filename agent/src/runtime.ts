/**
 * Clocks and randomness, passed as arguments so that tests of backoff, renewal and jitter need not wait and are
 * deterministic. No other file of the agent reads a clock or calls `Math.random()`.
 */
export interface Runtime {
  /** Returns wall time, in milliseconds since the epoch, for comparing with certificate dates. */
  now(): number;
  /** Returns the milliseconds of a monotonic clock, for durations. */
  monotonicMs(): number;
  /** Returns a number in [0, 1); for jitter, never for keys. */
  random(): number;
  /** Resolves after `ms`, or immediately when `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The longest delay of a Node timer; a longer one would fire immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The machine's clocks, timers and random generator. */
export const systemRuntime: Runtime = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(Math.max(ms, 0), LONGEST_TIMER_MS));
      signal?.addEventListener("abort", done, { once: true });
    }),
};
