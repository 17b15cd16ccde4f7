/**
 * Creates a pause function for long work on the event loop. `await pause()` between pieces of work gives sockets and
 * timers their turn once `ms` have passed since the previous pause.
 */
export function createPauses(ms = 10): () => Promise<void> {
  let begun = performance.now();
  return async () => {
    if (performance.now() - begun < ms) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
    begun = performance.now();
  };
}

/** Starts measuring real time. @returns a function that returns the milliseconds since then */
export function createStopwatch(): () => number {
  const begun = performance.now();
  return () => performance.now() - begun;
}
