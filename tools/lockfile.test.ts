import assert from "node:assert/strict";
import { test } from "node:test";
import { missingFromLock } from "./lockfile.ts";

test("a lock file that lacks another platform's build is reported, and a complete one is not", () => {
  const lock = {
    packages: {
      "": { dependencies: { parser: "1" } },
      "node_modules/parser": { optionalDependencies: { "@parser/linux": "1", "@parser/mac": "1" } },
      "node_modules/parser/node_modules/@parser/linux": {},
    },
  };
  assert.deepEqual(missingFromLock(lock), ["@parser/mac"]);
  assert.deepEqual(missingFromLock({ packages: { ...lock.packages, "node_modules/@parser/mac": {} } }), []);
});
