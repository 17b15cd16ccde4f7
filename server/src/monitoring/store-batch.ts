import type { Database, Db } from "../db/database.ts";
import type { Ids } from "../lib/ids.ts";
import { type PreparedMessage, type RejectedMessage, toColumns } from "./batch.ts";
import { REJECTED_KEPT, type Seen, storeRejected, storeTelemetry } from "./telemetry-store.ts";

/** A row lock met the other way round by another process: the same batch goes through a moment later. */
const TRANSIENT = new Set(["40001", "40P01"]);
const ATTEMPTS = 3;

export interface StoreDeps {
  database: Pick<Database, "db">;
  ids: Ids;
}

/** Stores all of `messages` in one commit. Throws what the database throws, and then nothing is stored. */
export async function storeBatch(deps: StoreDeps, messages: readonly PreparedMessage[], seen: Seen): Promise<void> {
  const columns = toColumns(messages);
  const rejected = lastRejected(messages);
  const ids = rejected.map(({ at }) => deps.ids.uuid(new Date(at / 1000)));
  for (let attempt = 1; ; attempt++) {
    try {
      const { db } = deps.database;
      if (rejected.length === 0) return await storeTelemetry(db, columns, seen);
      return await db.transaction().execute(async (tx: Db) => {
        await storeTelemetry(tx, columns, seen);
        await storeRejected(tx, rejected, ids);
      });
    } catch (error) {
      if (attempt === ATTEMPTS || !TRANSIENT.has(sqlState(error))) throw error;
    }
  }
}

/**
 * Whether the database refused the data rather than being unable to take it (SQLSTATE classes 22 and 23). The parser
 * lets no such value through; should one slip in, its message alone must suffer.
 */
export function isRefusedData(error: unknown): boolean {
  return /^2[23]/.test(sqlState(error));
}

function sqlState(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}

/** Of every device the last ones only: those before would be trimmed in the same commit. */
function lastRejected(messages: readonly PreparedMessage[]): RejectedMessage[] {
  const kept: RejectedMessage[] = [];
  const count = new Map<string, number>();
  for (let index = messages.length - 1; index >= 0; index--) {
    const rejected = messages[index]!.rejected;
    if (rejected === undefined) continue;
    const already = count.get(rejected.deviceUid) ?? 0;
    if (already >= REJECTED_KEPT) continue;
    count.set(rejected.deviceUid, already + 1);
    kept.push(rejected);
  }
  return kept.reverse();
}
