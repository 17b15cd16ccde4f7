/** The results of one run: scores from 0 to 100, the time in milliseconds. */
export interface Measured {
  performance: number;
  accessibility: number;
  contentfulPaintMs: number;
  layoutShift: number;
}

const GOALS: Measured = { performance: 95, accessibility: 100, contentfulPaintMs: 1_800, layoutShift: 0.05 };

interface Report {
  runtimeError?: { message: string };
  categories: Record<string, { score: number | null }>;
  audits: Record<string, { numericValue?: number }>;
}

/** Reads a report of Lighthouse. @throws Error if it could not load the page */
export function measuredIn({ runtimeError, categories, audits }: Report): Measured {
  if (runtimeError) throw new Error(runtimeError.message);
  const score = (name: string) => Math.round(100 * (categories[name]?.score ?? 0));
  return {
    performance: score("performance"),
    accessibility: score("accessibility"),
    contentfulPaintMs: audits["largest-contentful-paint"]?.numericValue ?? Number.POSITIVE_INFINITY,
    layoutShift: audits["cumulative-layout-shift"]?.numericValue ?? Number.POSITIVE_INFINITY,
  };
}

/** Returns the median of each figure. */
export function median(results: readonly Measured[]): Measured {
  const middle = (figure: keyof Measured) => {
    const sorted = results.map((each) => each[figure]).sort((one, other) => one - other);
    return sorted[Math.floor(sorted.length / 2)]!;
  };
  return {
    performance: middle("performance"),
    accessibility: middle("accessibility"),
    contentfulPaintMs: middle("contentfulPaintMs"),
    layoutShift: middle("layoutShift"),
  };
}

/** Returns which goals a screen misses. */
export function below(result: Measured): string[] {
  const { performance, accessibility, contentfulPaintMs, layoutShift } = GOALS;
  return [
    result.performance < performance ? `performance: at least ${performance}` : "",
    result.accessibility < accessibility ? `accessibility: ${accessibility}` : "",
    result.contentfulPaintMs > contentfulPaintMs ? `largest contentful paint: at most ${contentfulPaintMs} ms` : "",
    result.layoutShift > layoutShift ? `layout shift: at most ${layoutShift}` : "",
  ].filter((line) => line !== "");
}

export function row(screen: string, { performance, accessibility, contentfulPaintMs, layoutShift }: Measured): string {
  return [
    screen.padEnd(26),
    String(performance).padStart(12),
    String(accessibility).padStart(14),
    `${Math.round(contentfulPaintMs)} ms`.padStart(17),
    layoutShift.toFixed(3).padStart(13),
  ].join(" ");
}
