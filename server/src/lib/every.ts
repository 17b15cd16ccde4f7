import type { Logger } from "./logger.ts";

/**
 * Runs `job` every `intervalMs`, never twice at once; a failure is logged and the next turn tries again.
 *
 * @returns a function that stops it and resolves when a running turn has ended
 */
export function every(
  intervalMs: number,
  name: string,
  job: () => Promise<unknown>,
  logger: Logger,
): () => Promise<void> {
  let running: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    running ??= job()
      .catch((error: Error) =>
        logger.warn({ job: name, err: error.message }, "a periodic job failed; it will be tried again"),
      )
      .finally(() => {
        running = undefined;
      });
  }, intervalMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
