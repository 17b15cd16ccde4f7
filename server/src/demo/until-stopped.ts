/**
 * Resolves at the first SIGINT or SIGTERM. The handlers stay installed: npm forwards the terminal's Ctrl-C a second
 * time, which must not end the process during its clean-up.
 */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    process.on("SIGINT", () => resolve());
    process.on("SIGTERM", () => resolve());
  });
}
