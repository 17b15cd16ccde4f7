/**
 * `openapi/released.json` is the contract of the last release. `node tools/compatibility/released.ts` fails if
 * `openapi/public.json` breaks a program written for it; `--keep` replaces it, as part of a release.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { breakingChanges } from "./compare.ts";

const folder = join(import.meta.dirname, "../../openapi");
const released = join(folder, "released.json");
const present = JSON.parse(readFileSync(join(folder, "public.json"), "utf8"));

/** Parts for readers, without which the file shows the contract alone. */
const PROSE = new Set(["description", "summary", "example", "examples"]);

if (process.argv.includes("--keep")) {
  writeFileSync(released, `${JSON.stringify(contractOf(present), null, 1)}\n`);
} else {
  const broken = breakingChanges(JSON.parse(readFileSync(released, "utf8")), present);
  for (const each of broken) console.error(`breaks programs of the last release: ${each}`);
  process.exitCode = broken.length > 0 ? 1 : 0;
}

function contractOf(document: object): object {
  const text = JSON.stringify(document, function (this: unknown, name, value) {
    // A property may be called like a keyword, but its schema is an object.
    const isProse = PROSE.has(name) && (typeof value === "string" || name.startsWith("example"));
    // Operations may get further error codes.
    const isError = /^[45]\d\d$/.test(name) || (name === "responses" && "schemas" in (this as object));
    return isProse || isError ? undefined : value;
  });
  return JSON.parse(text);
}
