/** Listens on: npm passes the terminal's Ctrl-C on a second time, which must not end us in the middle of taking down. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    process.on("SIGINT", () => resolve());
    process.on("SIGTERM", () => resolve());
  });
}
