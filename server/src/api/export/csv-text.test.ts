import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { z } from "zod";
import { csvColumns } from "./csv-columns.ts";
import { cutLine, recordLine, titleLine } from "./csv-text.ts";

const record = z.strictObject({
  id: z.string(),
  state: z.strictObject({ status: z.string(), since: z.date().nullable() }).nullable(),
  tags: z.array(z.string()),
  metadata: z.record(z.string(), z.unknown()),
  before: z.looseObject({}).nullable(),
  last: z.strictObject({ at: z.date() }).optional(),
});
const columns = csvColumns(z.strictObject({ items: z.array(record), total: z.int() }));

test("a field with nested fields has a column for each, and a field with arbitrary fields has one", () => {
  assert.equal(titleLine(columns), "id,state.status,state.since,tags,metadata,before,last.at\r\n");
});

test("values are written as a spreadsheet reads them, and absent ones are empty", () => {
  const at = new Date("2026-11-22T10:00:00Z");
  const row = { id: "p-1", state: { status: "online", since: at }, tags: ["a", "b"], metadata: { a: 1 }, before: null };
  assert.equal(recordLine(columns, row), 'p-1,online,2026-11-22T10:00:00.000Z,"a; b","{""a"":1}",,\r\n');
  assert.equal(recordLine(columns, { ...row, state: null, last: { at } }).split(",").length, 7);
});

test("quotes, separators and line breaks are quoted", () => {
  const [id] = columns;
  assert.equal(recordLine([id!], { id: 'a "b", c\r\nd' }), '"a ""b"", c\r\nd"\r\n');
  for (const text of ["a;=1+1", "a\t=1+1"]) assert.equal(recordLine([id!], { id: text }), `"${text}"\r\n`);
});

test("a cell that begins like a formula begins with an apostrophe", () => {
  const [id] = columns;
  for (const text of ["=1+1", "+1", "-1", "@x"]) assert.equal(recordLine([id!], { id: text }), `'${text}\r\n`);
  assert.equal(recordLine([id!], { id: "\tx" }), `"'\tx"\r\n`);
  assert.equal(recordLine([id!], { id: "\r=1" }), `"'\r=1"\r\n`);
  assert.equal(recordLine([id!], { id: '=HYPERLINK("x","y")' }), `"'=HYPERLINK(""x"",""y"")"\r\n`);
});

test("the last line of a cut file has as many cells as every other", () => {
  assert.equal(cutLine(columns, 100_000).split('"').at(-1), ",,,,,,\r\n");
});

/** Splits a line according to RFC 4180. */
function parse(line: string): string[] {
  const cells = line.slice(0, -2).match(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)!;
  return cells
    .map((cell) => cell.replace(/,$/, ""))
    .map((cell) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell));
}

test("any text round-trips unchanged, except for the apostrophe", () => {
  const [id] = columns;
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const [cell] = parse(recordLine([id!, id!], { id: text }));
      assert.equal(cell!.replace(/^'(?=[=+\-@\t\r])/, ""), text.replace(/^'(?=[=+\-@\t\r])/, ""));
      assert.doesNotMatch(cell!, /^[=+\-@\t\r]/);
    }),
  );
});
