/**
 * Settles as `work` does or, if that takes longer than `ms`, as `onTimeout` does, which may throw or return a promise.
 * The work is not cancelled: its later result is ignored.
 */
export async function withTimeout<T>(work: Promise<T>, ms: number, onTimeout: () => T | Promise<T>): Promise<T> {
  const { promise: timeout, resolve } = Promise.withResolvers<typeof TIMED_OUT>();
  const timer = setTimeout(resolve, ms, TIMED_OUT);
  try {
    const first = await Promise.race([work, timeout]);
    return first === TIMED_OUT ? await onTimeout() : first;
  } finally {
    clearTimeout(timer);
  }
}

const TIMED_OUT = Symbol("timed out");

/**
 * Settles as `work` does, or rejects with the reason of `signal` as soon as it is aborted. For work that takes no
 * signal.
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
