/** A signal ends a run as an error does, so that the run removes all its processes and folders. */
let interrupt: (error: Error) => void = () => undefined;
let reason: Error | undefined;
const interrupted = new Promise<never>((_, reject) => {
  interrupt = reject;
});
interrupted.catch((error) => {
  reason = error;
});
// The handlers stay: npm forwards the terminal's Ctrl-C a second time, which must not end a process that cleans up.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => interrupt(new Error(`stopped by ${signal}`)));

/** Returns what `work` returns. @throws Error when a signal ends the run first */
export function unlessEnded<T>(work: Promise<T>): Promise<T> {
  return Promise.race([work, interrupted]);
}

/** @throws Error once a signal has ended the run: for work that cleans up after itself */
export function throwIfEnded(): void {
  if (reason) throw reason;
}
