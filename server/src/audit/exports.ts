import type { Database } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import { type Administrator, recordAct } from "./admin-audit.ts";
import { isStorable } from "./storable.ts";

/** A list that is sent as a file, with the filter in use. */
export interface ListExport {
  list: string;
  filter: Readonly<Record<string, unknown>>;
}

/** Records the export of a list in the administrative audit, before its first byte is sent. */
export async function recordExport(
  { database, clock, ids }: { database: Database; clock: Clock; ids: Ids },
  by: Administrator,
  { list, filter }: ListExport,
): Promise<void> {
  await inTransaction(database.db, (tx) =>
    recordAct(
      tx,
      by,
      { act: "list.export", target: list, after: isStorable(filter) ? filter : {} },
      { ids, now: clock.now() },
    ),
  );
}
