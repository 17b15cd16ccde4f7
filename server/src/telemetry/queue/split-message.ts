import type { PreparedMessage, TimedReading } from "../message.ts";

/**
 * Divides a message into parts of at most `maxRows` rows, which keeps batches short. Rules evaluate metrics
 * independently, and all readings of one metric together with its last part, so the parts have the same effect as the
 * whole message.
 */
export function splitMessage(message: PreparedMessage, maxRows: number): PreparedMessage[] {
  const whole = { ...message, rejected: undefined };
  const parts = byMetric(whole, maxRows).flatMap((part) =>
    part.readings.length > maxRows ? byTime(part, maxRows) : part,
  );
  parts.at(-1)!.rejected = message.rejected;
  return parts;
}

/**
 * Divides by metric into parts of about `maxRows` rows. Each metric is whole in one part, and a part that exceeds the
 * limit has only one metric.
 */
function byMetric(message: PreparedMessage, maxRows: number): PreparedMessage[] {
  const parts = partOfMetric(message.readings, maxRows);
  const readings: TimedReading[][] = Array.from({ length: Math.max(0, ...parts.values()) + 1 }, () => []);
  for (const reading of message.readings) {
    for (const [part, restricted] of byPart(reading, parts)) readings[part]!.push(restricted);
  }
  return readings.map((each) => ({ ...message, readings: each }));
}

/**
 * Divides the readings of one metric by time, with the newest in the last part. Until that is stored, sending the
 * message again makes no difference.
 */
function byTime(message: PreparedMessage, maxRows: number): PreparedMessage[] {
  const readings = message.readings.toSorted((a, b) => a.time - b.time);
  const parts: PreparedMessage[] = [];
  for (let from = 0; from < readings.length; from += maxRows) {
    parts.push({ ...message, readings: readings.slice(from, from + maxRows), evaluated: [] });
  }
  parts.at(-1)!.evaluated = readings;
  return parts;
}

/** Maps metrics to their parts, in the order in which metrics first occur. */
function partOfMetric(readings: readonly TimedReading[], maxRows: number): Map<string, number> {
  const rows = new Map<string, number>();
  for (const { metrics } of readings) for (const metric of metrics) rows.set(metric, (rows.get(metric) ?? 0) + 1);
  const parts = new Map<string, number>();
  let part = 0;
  let filled = 0;
  for (const [metric, count] of rows) {
    if (filled > 0 && filled + count > maxRows) {
      part++;
      filled = 0;
    }
    filled += count;
    parts.set(metric, part);
  }
  return parts;
}

/** Divides the values of one reading by the parts of their metrics. */
function byPart(reading: TimedReading, parts: ReadonlyMap<string, number>): Map<number, TimedReading> {
  const divided = new Map<number, TimedReading>();
  reading.metrics.forEach((metric, index) => {
    const part = parts.get(metric)!;
    const own = divided.get(part) ?? { ...reading, metrics: [], values: [] };
    own.metrics.push(metric);
    own.values.push(reading.values[index]!);
    divided.set(part, own);
  });
  return divided;
}
