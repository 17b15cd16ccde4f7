/**
 * Resolves at the first SIGINT or SIGTERM. The handlers stay: npm forwards the Ctrl-C of the terminal a second time, which must
 * not end the process while it cleans up.
 */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    process.on("SIGINT", () => resolve());
    process.on("SIGTERM", () => resolve());
  });
}
