/**
 * Time and chance as arguments, so that back-off, renewal and jitter are tested without waiting or luck.
 * This is the only file of the agent that reads the machine's clocks or `Math.random()`.
 */
export interface Runtime {
  /** Wall time, milliseconds since the epoch; for comparing with certificate dates. */
  now(): number;
  /** Milliseconds on a clock that never steps; for how long something lasted. */
  monotonicMs(): number;
  /** A number in [0, 1); for jitter, never for keys. */
  random(): number;
  /** Resolves after `ms`, or at once when `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The longest delay a Node timer holds; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The machine's own clocks, timers and generator. */
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
