import { mkdir } from "node:fs/promises";
import type { Duplex } from "node:stream";
import pg from "pg";
import type { Logger } from "../../lib/logger.ts";
import { kyselyOn } from "../kysely-on-pool.ts";
import type { Database } from "../types.ts";
import { Channels } from "./channels.ts";
import { type Engine, openEngine } from "./engine.ts";
import { lockFolder } from "./folder-lock.ts";
import { maintainEngine } from "./maintenance.ts";
import { engineFolder } from "./new-folder.ts";
import { OneClient } from "./one-client.ts";
import { WireStream } from "./wire-stream.ts";
import { openWorkerEngine } from "./worker-engine.ts";

export interface EmbeddedOptions {
  /** The engine's files are in its subfolder `postgres`; `memory` keeps them in memory (tests). */
  dataDir: string;
  /** A dump of a data folder to start from. */
  snapshot?: Blob | undefined;
  /** Whether a commit waits for the disk. */
  sync: boolean;
  logger: Logger;
  /** Receives the duration of each statement in seconds. */
  observe?: ((seconds: number) => void) | undefined;
}

const FAILED =
  "the embedded database has failed: nothing is stored any more, and requests are answered with 503; check the disk and restart the service";

/**
 * Opens PostgreSQL in WebAssembly: in a thread of its own on the files of a folder, or in memory in the calling thread.
 * A second process on the same folder would corrupt it, so the folder is locked first.
 */
export async function openEmbedded({ dataDir, snapshot, sync, logger, observe }: EmbeddedOptions): Promise<Database> {
  if (dataDir === "memory") return onEngine(takingTurns(await openEngine({ snapshot, sync: false })), observe);
  await mkdir(dataDir, { recursive: true });
  const lock = lockFolder(dataDir);
  try {
    const folder = await engineFolder(dataDir, sync);
    const onFailure = (error: Error) => logger.error({ err: error.message }, FAILED);
    const options = { folder: folder.path, sync };
    // The memory that the creation of the files took is freed with its thread.
    if (folder.isNew) await (await openWorkerEngine({ ...options, snapshot }, onFailure)).close();
    const engine = await openWorkerEngine(options, onFailure);
    await folder.opened();
    const close = () => engine.close().finally(() => lock.release());
    return onEngine({ ...engine, close }, observe);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Answers in a later turn of the event loop, as a thread does. Otherwise statements that follow each other would keep
 * timers and sockets waiting.
 */
function takingTurns(engine: Engine): Engine {
  const run: Engine["run"] = async (messages) => {
    const answer = await engine.run(messages);
    await new Promise((resolve) => setImmediate(resolve));
    return answer;
  };
  return { ...engine, run };
}

/** Creates the database of an engine: pg's pool with one client, since an engine has one session. */
export function onEngine(engine: Engine, observe?: (seconds: number) => void): Database {
  const pool = new pg.Pool({
    stream: () => new WireStream(engine) as unknown as Duplex,
    max: 1,
    idleTimeoutMillis: 0,
    user: "postgres",
    ssl: false,
  });
  // The calls of a failed engine are rejected; an unhandled error of their client would end the process.
  pool.on("connect", (client) => client.on("error", () => undefined));
  const channels = new Channels(pool);
  const client = new OneClient(pool);
  const { db, healthy } = kyselyOn(client.requests, observe);
  const { db: ingest } = kyselyOn(client.ingest, observe);
  return {
    kind: "embedded",
    db,
    ingest,
    connects: db,
    listen: (channel, handler) => channels.listen(channel, handler),
    healthy,
    dump: () => engine.dump(),
    maintain: () => maintainEngine(db, () => client.isIdle),
    close: async () => {
      await Promise.all([db, ingest].map((each) => each.destroy()));
      await engine.close();
    },
  };
}
