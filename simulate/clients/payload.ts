/** The contents of a simulated message that identify it. */
export interface Marks {
  readonly number: number;
  /** Milliseconds since 1970, with fractions. */
  readonly sentAt: number;
  /** The index of the address through which it was published. */
  readonly address: number;
}

/** The fewest metrics that {@link payloadOf} takes. */
export const LEAST_METRICS = 3;

/**
 * Returns a telemetry message.
 *
 * @param timeMs its time, a different one for each message of a device; undefined for the time of arrival
 * @param metrics the number of its values, {@link LEAST_METRICS} or more
 */
export function payloadOf({ number, sentAt, address }: Marks, timeMs: number | undefined, metrics: number): string {
  let more = "";
  for (let index = LEAST_METRICS; index < metrics; index++) more += `,"m${index}":${(number + index) % 100}`;
  const values = `{"n":${number},"sent":${sentAt.toFixed(3)},"via":${address}${more}}`;
  return timeMs === undefined ? values : `{"ts":${timeMs},"values":${values}}`;
}

/** @returns undefined for a message that no simulated device has sent */
export function marksOf(payload: string | Buffer): Marks | undefined {
  const found = /"n":(\d+),"sent":([\d.]+),"via":(\d+)/.exec(String(payload));
  return found ? { number: Number(found[1]), sentAt: Number(found[2]), address: Number(found[3]) } : undefined;
}
