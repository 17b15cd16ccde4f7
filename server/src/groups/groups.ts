import type { Caller } from "../access/access.ts";
import { noteWrite } from "../audit/audit.ts";
import type { Database } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Clock } from "../lib/clock.ts";
import { type Ids, isUuid } from "../lib/ids.ts";
import type { Logger } from "../lib/logger.ts";
import type { Page, PageRequest } from "../lib/page.ts";
import { invalidRequest, notFound } from "../lib/refusals.ts";
import { plainLine, plainText } from "../lib/text.ts";
import { addMembers, findGroup, type GroupRow, insertGroup, listGroupRows } from "./group-store.ts";

export interface GroupsDeps {
  database: Database;
  clock: Clock;
  ids: Ids;
  logger: Logger;
}

export interface GroupRecord {
  id: string;
  name: string;
  description: string;
  memberUserIds: string[];
  createdAt: Date;
  updatedAt: Date;
}

export interface NewGroup {
  name: string;
  description?: string | undefined;
  memberUserIds?: readonly string[] | undefined;
}

/** Notification groups: who is told about, and who sees, which devices. */
export interface Groups {
  createGroup(caller: Caller, input: NewGroup): Promise<GroupRecord>;
  getGroup(caller: Caller, id: string): Promise<GroupRecord>;
  listGroups(caller: Caller, query: PageRequest & { q?: string | undefined }): Promise<Page<GroupRecord>>;
}

export function createGroups(deps: GroupsDeps): Groups {
  return {
    createGroup: (caller, input) => createGroup(deps, caller, input),
    getGroup: (caller, id) => getGroup(deps, caller, id),
    listGroups: (caller, query) => listGroups(deps, caller, query),
  };
}

/** @throws MusterError invalid_request with an unknown user's id in `detail` */
async function createGroup(deps: GroupsDeps, caller: Caller, input: NewGroup): Promise<GroupRecord> {
  const now = deps.clock.now();
  const row = {
    id: deps.ids.uuid(now),
    name: plainLine("name", input.name),
    description: plainText("description", input.description ?? ""),
    created_at: now,
    updated_at: now,
  };
  const members = [...new Set(input.memberUserIds ?? [])];
  await inTransaction(deps.database.db, async (tx) => {
    await insertGroup(tx, caller.tenantId, row);
    const added = await addMembers(tx, caller.tenantId, row.id, members.filter(isUuid));
    const unknown = members.find((id) => !added.has(id));
    if (unknown !== undefined) throw invalidRequest("there is no such user", unknown);
    await noteWrite(tx, caller, { resource: "group", id: row.id, result: "created", at: now }, deps.ids);
  });
  return toRecord({ ...row, member_user_ids: members.sort() });
}

/** @throws MusterError not_found */
async function getGroup(deps: GroupsDeps, caller: Caller, id: string): Promise<GroupRecord> {
  const row = isUuid(id) ? await findGroup(deps.database.db, caller.tenantId, id) : undefined;
  if (!row) throw notFound("group");
  return toRecord(row);
}

async function listGroups(
  deps: GroupsDeps,
  caller: Caller,
  query: PageRequest & { q?: string | undefined },
): Promise<Page<GroupRecord>> {
  const { skip, limit } = query;
  if (query.q?.includes("\0")) return { items: [], total: 0, skip, limit };
  const { rows, total } = await listGroupRows(deps.database.db, caller.tenantId, query);
  return { items: rows.map(toRecord), total, skip, limit };
}

function toRecord(row: GroupRow): GroupRecord {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    memberUserIds: row.member_user_ids,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
