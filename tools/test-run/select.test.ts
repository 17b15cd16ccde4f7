import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { after, test } from "node:test";
import { selectTests } from "./select.ts";

const root = mkdtempSync(join(tmpdir(), "muster-select-"));
after(() => rmSync(root, { recursive: true }));
for (const path of [
  "server/src/pki/csr.test.ts",
  "server/test/claims.test.ts",
  "server/test/claims.ts",
  "server/node_modules/other/other.test.ts",
  "agent/test/enroll.test.ts",
  "tools/fixtures/planted/fixture.test.ts",
]) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), "");
}
const select = (...wanted: string[]) => selectTests(root, wanted).map((path) => relative(root, path));

test("without arguments every test is selected, but none of dependencies or fixtures", () => {
  assert.deepEqual(select(), ["agent/test/enroll.test.ts", "server/src/pki/csr.test.ts", "server/test/claims.test.ts"]);
});

test("a file, a folder and a part of a path select the matching tests, each once", () => {
  assert.deepEqual(select("server/test/claims.test.ts"), ["server/test/claims.test.ts"]);
  assert.deepEqual(select("server"), ["server/src/pki/csr.test.ts", "server/test/claims.test.ts"]);
  assert.deepEqual(select("csr", "server/src"), ["server/src/pki/csr.test.ts"]);
});

test("an argument that matches no test is an error, not a successful run without tests", () => {
  assert.throws(() => select("clams"), /no test file matches clams/);
});
