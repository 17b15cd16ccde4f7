/** Polls until `check` returns something, for events without a signal. Returns undefined after a minute. */
export async function eventually<T>(check: () => Promise<T | undefined | false>): Promise<T | undefined> {
  const until = performance.now() + 60_000;
  while (performance.now() < until) {
    const found = await check();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return undefined;
}
