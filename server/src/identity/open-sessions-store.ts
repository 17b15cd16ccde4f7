import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import { runStatement, statement } from "../db/statement.ts";

const selectOpen = statement<{ ids: string[]; now: Date; idleSince: Date }, { id: string }>(
  "open-user-sessions",
  (p) => sql`
    SELECT s.id FROM user_sessions s
     WHERE s.id = ANY (${p.ids}::uuid[]) AND s.expires_at > ${p.now}::timestamptz AND s.last_used_at > ${p.idleSince}::timestamptz`,
);

/** Returns those `ids` whose sessions are unexpired at `now` and were used since `idleSince`. */
export async function findOpenSessions(
  db: Db,
  which: { ids: string[]; now: Date; idleSince: Date },
): Promise<Set<string>> {
  return new Set((await runStatement(db, selectOpen, which)).map(({ id }) => id));
}
