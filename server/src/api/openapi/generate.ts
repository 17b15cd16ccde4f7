/**
 * Writes the files derived from the routes into `openapi/`, so that a change of the API shows as a small diff: `npm run
 * generate`, or `--check` to fail if the files are not current.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DANGEROUS_SCOPES } from "../../access/access.ts";
import { plantSchema } from "../../plant/plant.ts";
import { adminDocument, deviceDocument, publicDocument } from "./openapi.ts";
import { operationsText } from "./operations.ts";

const folder = join(import.meta.dirname, "../../../../openapi");

const files: Record<string, string> = {
  "public.json": `${JSON.stringify(publicDocument(), null, 2)}\n`,
  "admin.json": `${JSON.stringify(adminDocument(), null, 2)}\n`,
  "device.json": `${JSON.stringify(deviceDocument(), null, 2)}\n`,
  "plant.schema.json": `${JSON.stringify(plantSchema(), null, 2)}\n`,
  "operations.txt": operationsText(),
  "dangerous-scopes.json": `${JSON.stringify([...DANGEROUS_SCOPES], null, 2)}\n`,
};

if (process.argv.includes("--check")) {
  const stale = Object.keys(files).filter((name) => current(name) !== files[name]);
  if (stale.length > 0) {
    console.error(`not current: openapi/${stale.join(", openapi/")}; run npm run generate`);
    process.exitCode = 1;
  }
} else {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

function current(name: string): string | undefined {
  try {
    return readFileSync(join(folder, name), "utf8");
  } catch {
    return undefined;
  }
}
