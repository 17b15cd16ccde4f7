/**
 * Runs `job` never twice at once. A call during a run gets the next one, which begins after the call and so sees what it
 * wants seen.
 */
export function createPump(job: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  function pump(): Promise<void> {
    if (!running) {
      running = job().finally(() => {
        running = undefined;
      });
      return running;
    }
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return pump();
      });
    return next;
  }
  return pump;
}
