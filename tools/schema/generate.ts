/**
 * Writes two files into `server/src/db/` from the migrations: `schema.sql`, the whole schema in one place, and
 * `schema.generated.ts`, the row types. It runs in `npm run generate`. With `--check` it fails if a file is outdated.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readCatalog } from "./catalog.ts";
import { openMigrated } from "./migrated.ts";
import { rowTypes } from "./row-types.ts";
import { schemaSql } from "./schema-sql.ts";

const root = dirname(dirname(import.meta.dirname));
const FOLDER = "server/src/db";

const pglite = await openMigrated();
const catalog = await readCatalog(pglite);
await pglite.close();

const files: Record<string, string> = {
  "schema.sql": schemaSql(catalog),
  "schema.generated.ts": formatted(rowTypes(catalog)),
};

if (process.argv.includes("--check")) {
  const stale = Object.keys(files).filter((name) => current(name) !== files[name]);
  if (stale.length > 0) {
    console.error(`not current: ${stale.map((name) => `${FOLDER}/${name}`).join(", ")}; run npm run generate`);
    process.exitCode = 1;
  }
} else {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, FOLDER, name), text);
}

function formatted(text: string): string {
  const biome = join(root, "node_modules/.bin/biome");
  const { status, stdout, stderr } = spawnSync(biome, ["format", "--stdin-file-path=schema.ts"], {
    cwd: root,
    input: text,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`biome: ${stderr}`);
  return stdout;
}

function current(name: string): string | undefined {
  try {
    return readFileSync(join(root, FOLDER, name), "utf8");
  } catch {
    return undefined;
  }
}
