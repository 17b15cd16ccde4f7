import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { Kysely, PGliteDialect } from "kysely";
import { lockFolder } from "./folder-lock.ts";
import type { Schema } from "./schema.generated.ts";
import { timing } from "./timing.ts";
import type { Database } from "./types.ts";

const INT8 = 20;
const BYTEA = 17;

/** The JavaScript types that `pg` returns: bytes as a Buffer, 64-bit integers as text. */
const parsers = {
  [INT8]: (text: string) => text,
  [BYTEA]: (text: string) => Buffer.from(text.slice(2), "hex"),
};

/**
 * PostgreSQL in WebAssembly, in this process, stored under `dataDir/postgres` (or in memory for `memory`).
 * A second process on the same folder would corrupt it, so the folder is locked first.
 */
export async function openEmbedded(
  dataDir: string,
  snapshot?: Blob,
  observe?: (seconds: number) => void,
): Promise<Database> {
  const memory = dataDir === "memory";
  if (!memory) {
    await mkdir(join(dataDir, "postgres"), { recursive: true });
    await chmod(join(dataDir, "postgres"), 0o700);
  }
  const lock = memory ? undefined : lockFolder(dataDir);
  try {
    const pglite = await PGlite.create({
      ...(memory ? {} : { dataDir: join(dataDir, "postgres") }),
      ...(snapshot ? { loadDataDir: snapshot } : {}),
      parsers,
    });
    return wrap(pglite, () => lock?.release(), observe);
  } catch (error) {
    lock?.release();
    throw error;
  }
}

function wrap(pglite: PGlite, released: () => void, observe?: (seconds: number) => void): Database {
  const db = new Kysely<Schema>({ dialect: new PGliteDialect({ pglite }), ...timing(observe) });
  return {
    kind: "embedded",
    db,
    connects: db,
    listen: async (channel, handler) => {
      const stop = await pglite.listen(channel, handler);
      return () => stop();
    },
    healthy: async () => !pglite.closed,
    dump: () => pglite.dumpDataDir("gzip"),
    close: async () => {
      await db.destroy();
      if (!pglite.closed) await pglite.close();
      released();
    },
  };
}
