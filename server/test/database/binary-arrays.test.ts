import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { float8Array, timestampArray } from "../../src/db/binary-array.ts";
import { openTestDatabase } from "../harness/database/database.ts";
import { runSql } from "../harness/database/run-sql.ts";

let database: Awaited<ReturnType<typeof openTestDatabase>>;
before(async () => {
  database = await openTestDatabase();
});
after(async () => {
  await database.close();
  await database.remove();
});

const number = fc.oneof(fc.double({ noNaN: true }), fc.constantFrom(-0, 0, 1e308, 5e-324));
const numbers = fc.array(fc.option(number, { nil: undefined }), { maxLength: 5 });
/** From 1969 to 2199. */
const time = fc.integer({ min: -1e13, max: 7_250_000_000_000_000 });
const times = fc.array(fc.option(time, { nil: undefined }), { maxLength: 5 });

test("PostgreSQL reads arrays in its binary format as they were written", async () => {
  await fc.assert(
    fc.asyncProperty(numbers, times, async (sent, at) => {
      const [read] = await runSql<object>(
        database.db,
        `SELECT $1::float8[] AS numbers,
                ARRAY(SELECT (extract(epoch FROM t) * 1000000)::bigint::text FROM unnest($2::timestamptz[]) t) AS times`,
        [float8Array(sent), timestampArray(at)],
      );
      const expected = { numbers: sent.map(orNull), times: at.map((each) => orNull(each)?.toString() ?? null) };
      assert.deepEqual(read, expected);
    }),
    { numRuns: 50 },
  );
});

function orNull<T>(value: T | undefined): T | null {
  return value ?? null;
}
