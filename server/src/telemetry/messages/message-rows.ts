import type { PreparedMessage, TimedReading } from "../message.ts";
import { storedNumberOf } from "../stored-value.ts";
import type { DeviceShapes, MissingShapes, ShapedRow, Shapes } from "./device-shapes.ts";

/** A row with a message's values for one time, or one metric of them. Times are microseconds since 1970. */
export interface MessageRow {
  deviceUid: string;
  time: number;
  receivedAt: number;
  shapeNo: number;
  /** In the order of the shape. */
  numbers: readonly number[];
  texts: readonly string[];
}

/**
 * Converts messages to rows and adds the shapes they need. No two rows share a shape and time: the later message wins,
 * as it would in separate batches.
 *
 * @param messages sorted by device
 */
export async function toRows(shapes: Shapes, messages: readonly PreparedMessage[]): Promise<MessageRow[]> {
  const sending = messages.filter(({ readings }) => readings.length > 0);
  const devices = await shapes.of(new Set(sending.map(({ deviceUid }) => deviceUid)));
  for (;;) {
    const missing: MissingShapes = new Map();
    const rows = rowsOf(shapes, devices, sending, missing);
    if (missing.size === 0) return rows;
    await shapes.add(devices, missing);
  }
}

function rowsOf(
  shapes: Shapes,
  devices: ReadonlyMap<string, DeviceShapes>,
  messages: readonly PreparedMessage[],
  missing: MissingShapes,
): MessageRow[] {
  const rows: MessageRow[] = [];
  let ofDevice: RowsOfDevice | undefined;
  for (const message of messages) {
    if (ofDevice?.device.deviceUid !== message.deviceUid) {
      ofDevice = new RowsOfDevice(rows, devices.get(message.deviceUid)!, missing);
    }
    for (const reading of message.readings) ofDevice.add(shapes, message, reading);
  }
  return rows;
}

/** Adds the rows of one device to those of the batch. */
class RowsOfDevice {
  readonly device: DeviceShapes;
  readonly #rows: MessageRow[];
  readonly #first: number;
  readonly #missing: MissingShapes;
  #newest = Number.NEGATIVE_INFINITY;

  constructor(rows: MessageRow[], device: DeviceShapes, missing: MissingShapes) {
    this.device = device;
    this.#rows = rows;
    this.#first = rows.length;
    this.#missing = missing;
  }

  add({ forms }: Shapes, message: PreparedMessage, reading: TimedReading): void {
    for (const shaped of this.device.rowsOf(reading, forms, this.#missing)) {
      if (reading.time <= this.#newest) this.#remove(shaped.shapeNo, reading.time);
      this.#rows.push(rowOf(message, reading, shaped));
    }
    this.#newest = Math.max(this.#newest, reading.time);
  }

  /** Removes the row of this shape and time. The later row gets its own position in the order. */
  #remove(shapeNo: number, time: number): void {
    for (let at = this.#rows.length - 1; at >= this.#first; at--) {
      const row = this.#rows[at]!;
      if (row.time !== time || row.shapeNo !== shapeNo) continue;
      this.#rows.splice(at, 1);
      return;
    }
  }
}

const NONE: readonly string[] = [];

function rowOf(
  { deviceUid, receivedAt }: PreparedMessage,
  { time, values }: TimedReading,
  { shapeNo, form: { places, numbers } }: ShapedRow,
): MessageRow {
  const ofNumbers = new Array<number>(numbers);
  for (let at = 0; at < numbers; at++) ofNumbers[at] = storedNumberOf(values[places[at]!]!);
  const texts = numbers === places.length ? NONE : places.slice(numbers).map((place) => values[place] as string);
  return { deviceUid, time, receivedAt, shapeNo, numbers: ofNumbers, texts };
}
