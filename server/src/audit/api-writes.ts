import { setTimeout } from "node:timers/promises";
import type { Database, Db, Tx } from "../db/database.ts";
import { BEGINNING, pruneAlong } from "../db/prune.ts";
import { addMs, type Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import { type Page, type PageRequest, splitPage } from "../lib/page.ts";
import { type Administrator, recordAct } from "./admin-audit.ts";
import { type ApiAuditRow, listWriteRows, type WriteFilter } from "./api-audit-store.ts";
import { alreadyProcessed, idempotencyKeyReused } from "./errors.ts";
import { type ListExport, recordExport } from "./exports.ts";
import { type ApiRequest, IDEMPOTENCY_MS, reserveIdempotencyKey } from "./idempotency.ts";
import { deleteKeys, findRequest, storeAnswer } from "./idempotency-store.ts";
import { type CertificateOfWrite, type KeyWrite, recordKeyWrite, type WriteResult } from "./key-writes.ts";
import { isStorable } from "./storable.ts";

/** The part of a caller that the log records; `request` is present exactly for writes over HTTPS. */
export interface Writer {
  tenantId: string;
  actor: string;
  address?: string;
  request?: ApiRequest;
}

/** One entry of the API audit log (spec 4.8; docs/spec-decisions.md, API audit log). */
export interface ApiWrite {
  id: string;
  at: Date;
  keyId: string;
  operation: string;
  resource: string;
  resourceId: string;
  result: WriteResult;
  address: string | null;
  requestId: string;
  certificate?: CertificateOfWrite;
}

export interface WriteRecord extends KeyWrite {
  /** For the administrative audit: the verb of the act, where `result` does not determine it. */
  verb?: string;
  /** For the administrative audit: the record's state, as far as the write concerns it. Never a secret. */
  before?: object | undefined;
  after?: object | undefined;
}

/** The last part of an administrative act, as in `claim.create`. */
const VERBS = { created: "create", updated: "update", revoked: "revoke", deleted: "delete" } as const;

/** Kinds of records whose changes are not administration; they have a history of their own. */
const OPERATIONAL: ReadonlySet<string> = new Set(["anomaly", "ticket"]);

/**
 * The time within which a response is stored after the commit of the work; a retry that arrives before polls for it.
 */
const ANSWER_DUE_MS = 10_000;
const POLL_MS = 50;
const MAX_POLLS = 20;

/**
 * Records a write in its transaction, so that every write has an entry. A write by an API key goes to the API audit log
 * and reserves its Idempotency-Key, which no other write can use. A write by a user or the shell goes to the
 * administrative audit.
 *
 * @throws MusterError already_processed when another request has reserved the same Idempotency-Key
 */
export async function recordWrite(tx: Tx, writer: Writer, record: WriteRecord, ids: Ids): Promise<void> {
  await reserveIdempotencyKey(tx, writer, record);
  if (writer.request?.by === "key") return await recordKeyWrite(tx, writer, record, ids);
  await recordAdministration(tx, writer, record, ids);
}

async function recordAdministration(tx: Tx, writer: Writer, record: WriteRecord, ids: Ids): Promise<void> {
  const { resource, id: target, result, verb, at: now, before, after, certificate } = record;
  if (result === "unchanged" || OPERATIONAL.has(resource)) return;
  const act = `${resource}.${verb ?? VERBS[result]}`;
  await recordAct(tx, writer, { act, target, before, after: after ?? certificate }, { ids, now });
}

/** The API audit log and the responses stored under Idempotency-Keys. */
export interface Audit {
  /**
   * Returns the stored response to the same request under its Idempotency-Key, byte for byte; `undefined` when the key
   * is new.
   *
   * @param answerStored whether responses of this operation are stored; if so, a missing one may be about to be stored
   * @throws MusterError idempotency_key_reused for a different request; already_processed when no response is stored
   */
  replayAnswer(request: ApiRequest, answerStored: boolean): Promise<string | undefined>;
  /** Stores the response for {@link replayAnswer}. */
  storeAnswer(request: ApiRequest, answer: string): Promise<void>;
  /** Deletes expired Idempotency-Keys; called every few minutes. */
  prune(stopped?: AbortSignal): Promise<void>;
  /** Records the export of a list in the administrative audit, before its first byte is sent. */
  recordExport(by: Administrator, exported: ListExport): Promise<void>;
}

export function createAudit(deps: { database: Database; clock: Clock; ids: Ids }): Audit {
  const { database, clock } = deps;
  const { db } = database;
  const since = () => addMs(clock.now(), -IDEMPOTENCY_MS);
  return {
    async replayAnswer({ holder, operation, idempotency }, answerStored) {
      if (!idempotency) return undefined;
      for (let polls = 1; ; polls++) {
        const found = await findRequest(db, holder, idempotency.key, since());
        if (!found) return undefined;
        const same = found.operation === operation && idempotency.sha256.equals(found.request_sha256);
        if (!same) throw idempotencyKeyReused();
        if (found.answer !== null) return found.answer;
        const fresh = clock.now().getTime() - found.at.getTime() < ANSWER_DUE_MS;
        if (!answerStored || !fresh || polls === MAX_POLLS) throw alreadyProcessed(found.resource_id);
        await setTimeout(POLL_MS);
      }
    },
    async storeAnswer({ holder, idempotency }, answer) {
      if (idempotency) await storeAnswer(db, holder, idempotency.key, answer);
    },
    recordExport: (by, exported) => recordExport(deps, by, exported),
    async prune(stopped) {
      const before = since();
      await pruneAlong(BEGINNING, (from, limit) => deleteKeys(db, { from, before, limit }), { stopped });
    },
  };
}

export type WriteQuery = WriteFilter & PageRequest;

/** Lists the API audit log of a tenant, newest first. */
export async function listApiWrites(db: Db, tenantId: string, query: WriteQuery): Promise<Page<ApiWrite>> {
  const [page, filter] = splitPage(query);
  const { skip, limit } = page;
  if (!isStorable(filter)) return { items: [], total: 0, skip, limit };
  const { rows, ...total } = await listWriteRows(db, tenantId, filter, page);
  return { items: rows.map(toWrite), ...total, skip, limit };
}

function toWrite(row: ApiAuditRow): ApiWrite {
  const { certificate_id: id, serial_number: serialNumber, fingerprint_sha256: fingerprintSha256 } = row;
  return {
    id: row.id,
    at: row.at,
    keyId: row.key_id,
    operation: row.operation,
    resource: row.resource,
    resourceId: row.resource_id,
    result: row.result,
    address: row.address,
    requestId: row.request_id,
    ...(id && serialNumber && fingerprintSha256 ? { certificate: { id, serialNumber, fingerprintSha256 } } : {}),
  };
}
