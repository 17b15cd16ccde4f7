import type { Database, Db, Tx } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import { type Page, type PageRequest, splitPage } from "../lib/page.ts";
import {
  type ActFilter,
  type AdminAuditRow,
  findKeyEndRows,
  insertAct,
  listActRows,
  listInstallationActRows,
} from "./admin-audit-store.ts";
import { type ApiRequest, reserveIdempotencyKey } from "./idempotency.ts";
import { type KeyWrite, recordKeyWrite, type WriteResult } from "./key-writes.ts";
import { isStorable } from "./storable.ts";

/** The author of an act: the caller of a use case, or the shell on the whole installation (`tenantId` null). */
export interface Administrator {
  tenantId: string | null;
  actor: string;
  address?: string | undefined;
  /** The request by which a user acts: its `Idempotency-Key` is reserved in the transaction of the act. */
  request?: ApiRequest;
}

/** The recorded details of an administrative act, which never include a secret. */
export interface RecordedAct {
  /** `<kind of record>.<verb>`, such as `user.deactivate`. */
  act: string;
  /** The id of the record acted on. */
  target: string;
  /** The record's state, as far as the act concerns it; absent if there is none. */
  before?: object | undefined;
  after?: object | undefined;
}

/** One entry of the administrative audit. */
export type AdminAct = AdminAuditRow;

/** Records an act in its transaction. */
export async function recordAct(
  tx: Tx,
  { tenantId, actor, address }: Administrator,
  { act, target, before, after }: RecordedAct,
  { ids, now }: { ids: Ids; now: Date },
): Promise<void> {
  const by = { tenant_id: tenantId, actor, address: address ?? null };
  await insertAct(tx, { id: ids.uuid(now), at: now, ...by, act, target, before: before ?? null, after: after ?? null });
}

export interface AdministerDeps {
  database: Database;
  clock: Clock;
  ids: Ids;
}

/** The outcome of a change: its result, and its details for the audit. */
export interface Changed<Result> extends Omit<RecordedAct, "act"> {
  result: Result;
  /** Set when nothing was changed, as when an act is repeated; then nothing is recorded. */
  unchanged?: boolean;
  /** The written record, in the log of API keys and for the Idempotency-Key, if it is not the target of the act. */
  written?: Pick<KeyWrite, "resource" | "id" | "result">;
}

/**
 * Runs `change` and records it in one transaction, so both happen or neither does. An act of an API key is recorded in
 * the API audit log, like its other writes. `db`: a transaction to join.
 */
export async function administer<Result>(
  { database, clock, ids }: AdministerDeps,
  by: Administrator,
  act: string,
  change: (tx: Tx) => Promise<Changed<Result>>,
  db: Db = database.db,
): Promise<Result> {
  return await inTransaction(db, async (tx) => {
    const { result, unchanged, written: named, ...recorded } = await change(tx);
    const written = named ?? writeOf(act, recorded.target);
    const now = clock.now();
    await reserveIdempotencyKey(tx, by, { id: written.id, at: now });
    if (by.request?.by === "key") {
      const write = unchanged ? { ...written, result: "unchanged" as const } : written;
      await recordKeyWrite(tx, by, { ...write, at: now }, ids);
    } else if (!unchanged) await recordAct(tx, by, { act, ...recorded }, { ids, now });
    return result;
  });
}

function writeOf(act: string, id: string): NonNullable<Changed<unknown>["written"]> {
  const [resource = "", verb = ""] = act.split(".");
  return { resource, id, result: OUTCOMES[verb] ?? "unchanged" };
}

/** The effect of an act on its record, by the act's verb. Other verbs, such as `test`, leave the record unchanged. */
const OUTCOMES: Readonly<Record<string, WriteResult>> = {
  create: "created",
  update: "updated",
  enable: "updated",
  request: "updated",
  rotate: "updated",
  delete: "deleted",
};

export type ActQuery = ActFilter & PageRequest;

/** Lists the administrative audit of a tenant, newest first. */
export async function listActs(db: Db, tenantId: string, query: ActQuery): Promise<Page<AdminAct>> {
  const [page, filter] = splitPage(query);
  const { skip, limit } = page;
  if (!isStorable(filter)) return { items: [], total: 0, skip, limit };
  const { rows, ...total } = await listActRows(db, tenantId, filter, page);
  return { items: rows, ...total, skip, limit };
}

/** Lists the acts on the whole installation, newest first. */
export async function listInstallationActs(db: Db, page: PageRequest): Promise<AdminAct[]> {
  return await listInstallationActRows(db, page);
}

/** Returns the acts on these targets, keys and users, that ended API keys, newest first. */
export async function findKeyEnds(db: Db, tenantId: string, targets: readonly string[]): Promise<AdminAct[]> {
  return targets.length === 0 ? [] : await findKeyEndRows(db, tenantId, targets);
}
