import assert from "node:assert/strict";
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "../../..");

test("no script of a page has the name of a compiled module, which it would replace in the package", () => {
  const scripts = globSync("server/src/**/*.js", { cwd: ROOT });
  assert.ok(scripts.length > 0);
  const replacing = scripts.filter((script) => existsSync(join(ROOT, script.replace(/\.js$/, ".ts"))));
  assert.deepEqual(replacing, []);
});
