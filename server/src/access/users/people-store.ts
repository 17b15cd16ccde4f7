import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import type { PageRequest } from "../../lib/page.ts";
import { contains } from "../../lists/counted-page.ts";
import type { UserRow } from "../user-store.ts";

export type PersonRow = Pick<UserRow, "id" | "email" | "role"> & { name: string | null };

/** Returns one page of the tenant's active users by address, with the total. A quota bounds the users of a tenant. */
export async function listPeopleRows(
  db: Db,
  tenantId: string,
  q: string | undefined,
  { skip, limit }: PageRequest,
): Promise<{ rows: PersonRow[]; total: number }> {
  const matches = q ? sql`(${contains("u.email", q)} OR ${contains("u.name", q)})` : sql`true`;
  const people = sql`FROM users u
    WHERE u.tenant_id = ${tenantId} AND u.status = 'active' AND u.deleted_at IS NULL AND u.kind = 'person'
      AND ${matches}`;
  const { rows } = await sql<PersonRow>`
    SELECT u.id, u.email, u.name, u.role ${people} ORDER BY lower(u.email) LIMIT ${limit} OFFSET ${skip}`.execute(db);
  const { rows: counted } = await sql<{ total: number }>`SELECT count(*)::int AS total ${people}`.execute(db);
  return { rows, total: counted[0]!.total };
}
