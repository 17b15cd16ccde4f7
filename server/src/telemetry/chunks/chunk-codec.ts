import { readPacked, writePacked } from "./byte-planes.ts";
import { ByteReader, ByteWriter } from "./bytes.ts";
import { decodeColumn, encodeColumn } from "./column-codec.ts";
import type { HourRows } from "./hour-rows.ts";

const VERSION = 1;

/**
 * Encodes the rows of one shape in an hour or slice of an hour. The columns are the times, receive times, sequence
 * numbers, numbers and texts.
 *
 * @param from the start of the hour or slice, in microseconds since 1970
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

/** The columns of a chunk, each decoded on access. */
export class Chunk {
  readonly count: number;
  readonly #from: number;
  readonly #columns: Uint8Array[] = [];
  readonly #reader: ByteReader;
  #times: Float64Array | undefined;

  /**
   * @param from the start of the chunk, in microseconds since 1970
   * @throws Error if a newer version wrote the chunk
   */
  constructor(data: Uint8Array, from: number) {
    this.#from = from;
    this.#reader = new ByteReader(data);
    const version = this.#reader.byte();
    if (version !== VERSION) throw new Error(`a newer version of this service wrote the chunk (format ${version})`);
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

  /** @param place the zero-based position in the shape */
  numbers(place: number): Float64Array {
    return this.#decode(3 + place);
  }

  /** @param place the zero-based position in the shape */
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
