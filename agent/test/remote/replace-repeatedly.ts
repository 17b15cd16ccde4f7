/** Replaces the identity in a folder repeatedly until it is killed. state.test.ts runs it. */
import { readFileSync, writeSync } from "node:fs";
import type { StateFiles } from "../../src/state/identity.ts";
import { commitFiles } from "../../src/state/state.ts";

const [stateDir, inputs] = process.argv.slice(2);
const sets = JSON.parse(readFileSync(inputs!, "utf8")) as StateFiles[];
for (let i = 0; ; i++) {
  await commitFiles(stateDir!, sets[i % 2]!);
  writeSync(1, ".");
}
