/** A signal ends a run the way an error does, so that nothing that was started stays behind. */
let interrupt: (error: Error) => void = () => undefined;
const interrupted = new Promise<never>((_, reject) => {
  interrupt = reject;
});
interrupted.catch(() => undefined);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => interrupt(new Error(`ended by ${signal}`)));

/** `work`, unless the run is ended first. */
export function unlessEnded<T>(work: Promise<T>): Promise<T> {
  return Promise.race([work, interrupted]);
}
