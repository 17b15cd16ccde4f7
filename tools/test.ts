/**
 * `npm test`: runs every test file, and ends with node's summary. In a run of all tests a few processes share the files
 * (`test-run/share.ts`); a named file has a separate process.
 *
 *   npm test                                     everything
 *   npm test -- server/test/tickets/tickets.test.ts      one file; a folder or a part of a path selects several
 *   npm test -- --test-name-pattern='last use'   flags go to node in each test process
 *
 * `MUSTER_TEST_DATABASE_URL` makes the harness use that PostgreSQL instead of the embedded database
 * (`tools/with-postgres`). With `CI=true` a skipped test fails the run, since CI must have every program that the tests
 * use, and a file that fails runs once more, alone (`test-run/run-in-ci.ts`).
 */
import { dirname, join } from "node:path";
import { runTests } from "./test-run/run-tests.ts";

const [major] = process.versions.node.split(".");
if (Number(major) < 24) {
  console.error(
    `Node 24 is needed, this is ${process.version}; run the tests through npm (npm test), which brings it along`,
  );
  process.exit(1);
}

const root = dirname(import.meta.dirname);
// Processes share their compiled sources, including those that `server/bin/muster.mjs` starts.
process.env.NODE_COMPILE_CACHE ??= join(root, "server/node_modules/.cache/node");
process.exitCode = await runTests({
  root,
  args: process.argv.slice(2),
  isCi: process.env.CI === "true",
  database: process.env.MUSTER_TEST_DATABASE_URL ? "PostgreSQL" : "the embedded database",
});
