/**
 * For long work on the event loop: `await pause()` between its pieces lets sockets and timers have their turn once `ms` have passed since they had one.
 */
export function createPauses(ms = 10): () => Promise<void> {
  let begun = performance.now();
  return async () => {
    if (performance.now() - begun < ms) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
    begun = performance.now();
  };
}

/** Measures real time. @returns milliseconds since it was created */
export function createStopwatch(): () => number {
  const begun = performance.now();
  return () => performance.now() - begun;
}
