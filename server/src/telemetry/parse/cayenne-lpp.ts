import { valueProblem } from "../reading.ts";
import { appendValue, readingNow } from "./append-value.ts";
import type { Into } from "./problems.ts";
import type { ReadingChecks, Rejection } from "./rejection.ts";

/** A number in the data of a type: its name after the channel, bytes, and the divisor of the integer. */
interface Part {
  readonly name?: string;
  readonly bytes: number;
  readonly per?: number;
  readonly unsigned?: true;
}

interface LppType {
  readonly name: string;
  readonly parts: readonly Part[];
}

const axes = (bytes: number, per: number): Part[] => ["x", "y", "z"].map((name) => ({ name, bytes, per }));

/** The data types of Cayenne LPP 2.0, and those that its extensions agree on, by their number. */
const TYPES: Readonly<Record<number, LppType>> = {
  0: { name: "digital_in", parts: [{ bytes: 1, unsigned: true }] },
  1: { name: "digital_out", parts: [{ bytes: 1, unsigned: true }] },
  2: { name: "analog_in", parts: [{ bytes: 2, per: 100 }] },
  3: { name: "analog_out", parts: [{ bytes: 2, per: 100 }] },
  100: { name: "generic", parts: [{ bytes: 4, unsigned: true }] },
  101: { name: "luminosity", parts: [{ bytes: 2, unsigned: true }] },
  102: { name: "presence", parts: [{ bytes: 1, unsigned: true }] },
  103: { name: "temperature", parts: [{ bytes: 2, per: 10 }] },
  104: { name: "relative_humidity", parts: [{ bytes: 1, per: 2, unsigned: true }] },
  113: { name: "accelerometer", parts: axes(2, 1_000) },
  115: { name: "barometric_pressure", parts: [{ bytes: 2, per: 10, unsigned: true }] },
  116: { name: "voltage", parts: [{ bytes: 2, per: 100, unsigned: true }] },
  117: { name: "current", parts: [{ bytes: 2, per: 1_000, unsigned: true }] },
  118: { name: "frequency", parts: [{ bytes: 4, unsigned: true }] },
  120: { name: "percentage", parts: [{ bytes: 1, unsigned: true }] },
  121: { name: "altitude", parts: [{ bytes: 2 }] },
  125: { name: "concentration", parts: [{ bytes: 2, unsigned: true }] },
  128: { name: "power", parts: [{ bytes: 2, unsigned: true }] },
  130: { name: "distance", parts: [{ bytes: 4, per: 1_000, unsigned: true }] },
  131: { name: "energy", parts: [{ bytes: 4, per: 1_000, unsigned: true }] },
  132: { name: "direction", parts: [{ bytes: 2, unsigned: true }] },
  134: { name: "gyrometer", parts: axes(2, 100) },
  136: {
    name: "gps",
    parts: [
      { name: "latitude", bytes: 3, per: 10_000 },
      { name: "longitude", bytes: 3, per: 10_000 },
      { name: "altitude", bytes: 3, per: 100 },
    ],
  },
  142: { name: "switch", parts: [{ bytes: 1, unsigned: true }] },
};

/**
 * Reads a Cayenne LPP payload: channel, type and data of each value, as one reading at the server's time. A value
 * becomes the metric `<type>_<channel>`, such as `temperature_1` or `gps_2.latitude`. A type that is not known ends the
 * reading, because the length of its data is not known either.
 *
 * @returns the problem of the whole message, or `undefined`
 */
export function readCayenneLpp(payload: Buffer, checks: ReadingChecks, into: Into): Rejection | undefined {
  const reading = readingNow();
  for (let at = 0; at < payload.length; ) {
    const [channel, number] = [payload[at]!, payload[at + 1]];
    const type = number === undefined ? undefined : TYPES[number];
    const end = at + 2 + (type?.parts.reduce((sum, { bytes }) => sum + bytes, 0) ?? 0);
    if (type === undefined || end > payload.length) {
      into.problems.add(`byte ${at}`, type ? "the data ends early" : `the type ${number ?? "is missing"} is not known`);
      return undefined;
    }
    const rejection = readParts(payload, at + 2, `${type.name}_${channel}`, type.parts, { checks, into, reading, at });
    if (rejection !== undefined) return rejection;
    at = end;
  }
  return undefined;
}

interface Context {
  checks: ReadingChecks;
  into: Into;
  reading: ReturnType<typeof readingNow>;
  at: number;
}

function readParts(
  payload: Buffer,
  from: number,
  name: string,
  parts: readonly Part[],
  { checks, into, reading, at }: Context,
): Rejection | undefined {
  let start = from;
  for (const { name: part, bytes, per = 1, unsigned } of parts) {
    const metric = part === undefined ? name : `${name}.${part}`;
    const value = (unsigned ? payload.readUIntBE(start, bytes) : payload.readIntBE(start, bytes)) / per;
    start += bytes;
    const isRepeated = reading.metrics.includes(metric);
    const problem = isRepeated ? `there are several values of ${metric}` : valueProblem(metric, value);
    if (problem !== undefined) into.problems.add(`byte ${at}`, problem);
    const rejection = problem === undefined ? appendValue(into.readings, checks, reading, metric, value) : undefined;
    if (rejection !== undefined) return rejection;
    if (into.problems.areTooMany) return into.problems.rejection();
  }
  return undefined;
}
