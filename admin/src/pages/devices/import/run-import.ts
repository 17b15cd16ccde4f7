import { t } from "#texts/pages/fleet.ts";
import { type ImportOutcome, type ImportRow, importDevices } from "../../../api/devices.ts";
import { Problem } from "../../../api/problem.ts";
import { numberText } from "../../../texts/number-text.ts";
import type { ImportFile } from "./import-rows.ts";

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

/**
 * Sends the rows in parts, one after the other. Rows that a request had no time for are sent again; rows that name the
 * device of an earlier row are refused here, because a request has only a part of the file.
 */
export async function runImport(
  { rows, repeats }: Pick<ImportFile, "rows" | "repeats">,
  { preview, stopped, onPart }: RunImport,
): Promise<void> {
  const sent = [...rows.keys()].filter((at) => !repeats.has(at));
  const results = [...repeats].map(([at, earlier]) => repeated(at, earlier));
  onPart([...results]);
  for (let done = 0; done < sent.length && !stopped.aborted; ) {
    const part = sent.slice(done, done + MOST_ROWS).map((at) => rows[at]!);
    const items = await sendPart(withinBytes(part), preview);
    const tried = items.findIndex(({ outcome }) => outcome === "not_tried");
    // If no row was processed in time, the first row's result contains the reason.
    const answered = tried < 0 ? items : items.slice(0, Math.max(tried, 1));
    results.push(...answered.map((item, at) => ({ ...item, row: sent[done + at]! + 1 })));
    done += answered.length;
    onPart(results.toSorted((a, b) => a.row - b.row));
  }
}

function repeated(at: number, earlier: number): ImportResult {
  const message = t.repeatsRow(numberText(earlier + 1));
  return { row: at + 1, outcome: "refused", id: null, nameBefore: null, error: null, message };
}

function withinBytes(rows: readonly ImportRow[]): ImportRow[] {
  const part: ImportRow[] = [];
  let bytes = 0;
  for (const row of rows) {
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
