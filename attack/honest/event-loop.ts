/** A timer of this period notices the delay: it is part of what the metric reports (docs/operations/metrics.md). */
const TIMER_MS = 20;

/**
 * The longest time since the last call that the server's event loop served nothing, in milliseconds: its own metric, which each reading
 * resets. On a machine with too few cores it includes the time that the server waited for one.
 */
export async function longestBlock(metricsUrl: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  const found = text.matchAll(/^nodejs_eventloop_lag_max_seconds(?:\{[^}]*\})? ([0-9.e+-]+)$/gm);
  const longest = Math.max(...[...found].map(([, seconds]) => Number(seconds)));
  return Math.max(0, longest * 1000 - TIMER_MS);
}
