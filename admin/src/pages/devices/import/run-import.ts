import { type ImportOutcome, type ImportRow, importDevices } from "../../../api/devices.ts";
import { Problem } from "../../../api/problem.ts";

/** The outcome of a row, with its number in the file, counted from 1 below the titles. */
export interface ImportResult extends ImportOutcome {
  row: number;
}

/** Rows and bytes of one request: it takes a few seconds, so that the progress is seen. */
const MOST_ROWS = 100;
const MOST_BYTES = 100_000;
const WAIT_MS = 5_000;

interface RunImport {
  preview: boolean;
  stopped: AbortSignal;
  /** Receives the outcomes of all rows so far. */
  onPart: (results: ImportResult[]) => void;
}

/** Sends the rows in parts, one after the other. Rows that a request had no time for are sent again. */
export async function runImport(rows: readonly ImportRow[], { preview, stopped, onPart }: RunImport): Promise<void> {
  const results: ImportResult[] = [];
  onPart([]);
  while (results.length < rows.length && !stopped.aborted) {
    const items = await sendPart(partOf(rows, results.length), preview);
    const tried = items.findIndex(({ outcome }) => outcome === "not_tried");
    // If no row was processed in time, the first row's result contains the reason.
    const done = tried < 0 ? items : items.slice(0, Math.max(tried, 1));
    results.push(...done.map((item, at) => ({ ...item, row: results.length + at + 1 })));
    onPart([...results]);
  }
}

function partOf(rows: readonly ImportRow[], from: number): ImportRow[] {
  const part: ImportRow[] = [];
  let bytes = 0;
  for (const row of rows.slice(from, from + MOST_ROWS)) {
    bytes += new TextEncoder().encode(JSON.stringify(row)).length;
    if (part.length > 0 && bytes > MOST_BYTES) break;
    part.push(row);
  }
  return part;
}

/** Another user's change of many devices is awaited. */
async function sendPart(part: ImportRow[], preview: boolean): Promise<readonly ImportOutcome[]> {
  for (let turn = 0; ; turn++) {
    try {
      return (await importDevices(part, preview)).items;
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "rate_limited" || turn === 5) throw error;
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    }
  }
}
