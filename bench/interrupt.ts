/** A signal ends a run as an error does, so that every process and folder of the run is removed. */
let interrupt: (error: Error) => void = () => undefined;
const interrupted = new Promise<never>((_, reject) => {
  interrupt = reject;
});
interrupted.catch(() => undefined);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => interrupt(new Error(`stopped by ${signal}`)));

/** `work`, unless a signal ends the run first. */
export function unlessEnded<T>(work: Promise<T>): Promise<T> {
  return Promise.race([work, interrupted]);
}
