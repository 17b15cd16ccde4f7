import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { brotliDecompressSync } from "node:zlib";
import { PGlite } from "@electric-sql/pglite";
import { migrations } from "../../server/src/db/migrations/index.ts";
import { readCatalog } from "./catalog.ts";
import { openMigrated } from "./migrated.ts";
import { schemaSql } from "./schema-sql.ts";

const KEPT = join(import.meta.dirname, "../../server/test/fixtures/installation-1.0/data-folder.tar.br");

async function schemaOf(pglite: PGlite): Promise<string> {
  return schemaSql(await readCatalog(pglite).finally(() => pglite.close()));
}

/** Opens the database that 1.0 left, with the steps since then applied. */
async function openUpgraded(): Promise<PGlite> {
  const folder = new Blob([new Uint8Array(brotliDecompressSync(await readFile(KEPT)))]);
  const pglite = await PGlite.create({ loadDataDir: folder });
  const { rows } = await pglite.query<{ newest: number }>("SELECT max(number) AS newest FROM schema_migrations");
  for (const { sql } of migrations.slice(rows[0]!.newest)) await pglite.exec(sql);
  return pglite;
}

test("an upgraded database of 1.0 has the schema of a new one: no shipped step was edited", async () => {
  assert.equal(await schemaOf(await openUpgraded()), await schemaOf(await openMigrated()));
});
