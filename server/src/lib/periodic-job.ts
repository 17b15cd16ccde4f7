import type { Logger } from "./logger.ts";

/**
 * Runs `job` every `intervalMs`. A turn is skipped while the previous run is in progress. A failure is logged, and the
 * next turn runs the job again.
 *
 * @param job its signal is aborted when the job is stopped, so that a long run can end early
 * @returns a function that stops the job and resolves when a run in progress has ended
 */
export function startPeriodicJob(
  intervalMs: number,
  name: string,
  job: (stopped: AbortSignal) => Promise<unknown>,
  logger: Logger,
): () => Promise<void> {
  const stop = new AbortController();
  let running: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    running ??= job(stop.signal)
      .catch((error: Error) => logger.warn({ job: name, err: error.message }, "periodic job failed; it will run again"))
      .finally(() => {
        running = undefined;
      });
  }, intervalMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    stop.abort();
    await running;
  };
}
