import { readPacked, writePacked } from "./byte-planes.ts";
import { ByteReader, ByteWriter } from "./bytes.ts";
import { decodeColumn, encodeColumn } from "./column-codec.ts";
import type { HourRows } from "./hour-rows.ts";

const VERSION = 1;

/**
 * Encodes rows of one shape, of an hour or a part of one, column by column: their times, when they were received, their order among all rows, numbers and texts.
 *
 * @param from where the hour or the part of it begins, microseconds since 1970
 */
export function encodeChunk({ times, received, seqs, numbers, texts }: HourRows, from: number): Buffer {
  const out = new ByteWriter();
  out.byte(VERSION);
  out.count(times.length);
  const column = (values: Float64Array) => out.bytes(encodeColumn(values));
  column(times.map((time) => time - from));
  column(received.map((time, at) => time - times[at]!));
  column(seqs);
  for (const values of numbers) column(values);
  for (const values of texts) out.bytes(encodeTexts(values));
  return out.written();
}

/** The columns of a chunk, each decoded when it is asked for. */
export class Chunk {
  readonly count: number;
  readonly #from: number;
  readonly #columns: Uint8Array[] = [];
  readonly #reader: ByteReader;
  #times: Float64Array | undefined;

  /**
   * @param from where it begins, microseconds since 1970
   * @throws Error for a chunk of a later version
   */
  constructor(data: Uint8Array, from: number) {
    this.#from = from;
    this.#reader = new ByteReader(data);
    const version = this.#reader.byte();
    if (version !== VERSION) throw new Error(`a chunk of version ${version} is of a newer version of this service`);
    this.count = this.#reader.count();
  }

  get times(): Float64Array {
    this.#times ??= this.#decode(0).map((time) => time + this.#from);
    return this.#times;
  }

  get received(): Float64Array {
    const { times } = this;
    return this.#decode(1).map((after, at) => times[at]! + after);
  }

  get seqs(): Float64Array {
    return this.#decode(2);
  }

  /** @param place in the shape, counted from 0 */
  numbers(place: number): Float64Array {
    return this.#decode(3 + place);
  }

  /** @param place in the shape, counted from 0 */
  texts(place: number): string[] {
    const from = new ByteReader(this.#column(3 + place));
    return JSON.parse(Buffer.from(readPacked(from, 1)).toString());
  }

  #decode(place: number): Float64Array {
    return decodeColumn(this.#column(place), this.count);
  }

  #column(place: number): Uint8Array {
    while (this.#columns.length <= place) this.#columns.push(this.#reader.bytes());
    return this.#columns[place]!;
  }
}

function encodeTexts(texts: readonly string[]): Uint8Array {
  const out = new ByteWriter();
  writePacked(out, Buffer.from(JSON.stringify(texts)));
  return out.written();
}
