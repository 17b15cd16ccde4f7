/**
 * Clocks and randomness are arguments, so that tests of back-off, renewal and jitter need not wait and always give the same result. No
 * other file of the agent reads a clock or calls `Math.random()`.
 */
export interface Runtime {
  /** Wall time, milliseconds since the epoch; for comparing with certificate dates. */
  now(): number;
  /** Milliseconds of a clock that never steps; for durations. */
  monotonicMs(): number;
  /** A number in [0, 1); for jitter, never for keys. */
  random(): number;
  /** Resolves after `ms`, or at once when `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The longest delay of a Node timer; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Clocks, timers and random generator of the machine. */
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
