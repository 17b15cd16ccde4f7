/** A signal ends a run as an error does, so that every process and folder of the run is removed. */
let interrupt: (error: Error) => void = () => undefined;
let reason: Error | undefined;
const interrupted = new Promise<never>((_, reject) => {
  interrupt = reject;
});
interrupted.catch((error) => {
  reason = error;
});
// The handlers stay: npm forwards the Ctrl-C of the terminal a second time, which must not end the process while it cleans up.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => interrupt(new Error(`stopped by ${signal}`)));

/** `work`, unless a signal ends the run first. */
export function unlessEnded<T>(work: Promise<T>): Promise<T> {
  return Promise.race([work, interrupted]);
}

/** @throws Error once a signal has ended the run: for work that cleans up after itself */
export function throwIfEnded(): void {
  if (reason) throw reason;
}
