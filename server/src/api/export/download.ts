import { z } from "zod";
import { type CsvColumn, csvColumns } from "./csv-columns.ts";
import { recordLine, titleLine } from "./csv-text.ts";

export const FORMATS = ["ndjson", "csv"] as const;
type Format = (typeof FORMATS)[number];

const MEDIA_TYPES: Record<Format, string> = {
  ndjson: "application/x-ndjson; charset=utf-8",
  csv: "text/csv; charset=utf-8; header=present",
};

/** A page of a walk: `next` is the cursor of the following one, absent at the end. */
interface Part {
  items: readonly unknown[];
  next: string | undefined;
}

/** The answer of a route's handler that streams all pages of a walk as one file. */
export class Download {
  readonly name: string;
  readonly mediaType: string;
  readonly #read: (after: string | undefined) => Promise<Part>;
  readonly #columns: readonly CsvColumn[] | undefined;

  /** @param read reads the page after a cursor; the first one without */
  constructor(name: string, format: Format, record: z.ZodType, read: (after: string | undefined) => Promise<Part>) {
    this.name = `${name}.${format}`;
    this.mediaType = MEDIA_TYPES[format];
    this.#read = read;
    this.#columns = format === "csv" ? csvColumns(z.object({ items: z.array(record) })) : undefined;
  }

  /** Reads the first page, so that a refusal is answered as such. @returns the lines of all pages, read as consumed */
  async open(): Promise<AsyncGenerator<string>> {
    return this.#lines(await this.#read(undefined));
  }

  async *#lines(first: Part): AsyncGenerator<string> {
    if (this.#columns) yield titleLine(this.#columns);
    for (let part = first; ; part = await this.#read(part.next)) {
      const text = part.items.map((record) => this.#line(record)).join("");
      if (text !== "") yield text;
      if (part.next === undefined) return;
    }
  }

  #line(record: unknown): string {
    return this.#columns ? recordLine(this.#columns, record) : `${JSON.stringify(record)}\n`;
  }
}
