import type { Page, PageRequest } from "../../lib/page.ts";
import type { AccessDeps } from "../deps.ts";
import { useCase } from "../use-case.ts";
import { listPeopleRows } from "./people-store.ts";

/** A user as colleagues see them: a candidate for a shift, a group or a ticket. */
export interface Person {
  id: string;
  email: string;
  /** Null if the user has given none. */
  name: string | null;
  role: "admin" | "operator" | "viewer";
}

/** Lists the tenant's active users by address. `q`: a part of address or name, in any case. */
export const listPeople = useCase(
  { role: "viewer" },
  async ({ database }: AccessDeps, caller, query: PageRequest & { q?: string | undefined }): Promise<Page<Person>> => {
    const { q, skip, limit } = query;
    if (q?.includes("\0")) return { items: [], total: 0, skip, limit };
    const { rows, total } = await listPeopleRows(database.db, caller.tenantId, q, { skip, limit });
    return { items: rows, total, skip, limit };
  },
);
