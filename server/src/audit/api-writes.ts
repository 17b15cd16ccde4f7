import { setTimeout } from "node:timers/promises";
import type { Database, Tx } from "../db/database.ts";
import { addMs, type Clock, DAY } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { PageRequest } from "../lib/page.ts";
import { insertWrite, listWriteRows } from "./api-audit-store.ts";
import { alreadyProcessed, idempotencyKeyReused } from "./errors.ts";
import { findRequest, forgetBefore, keepAnswer, takeKey } from "./idempotency-store.ts";

/** A write that an API key asked for over HTTPS. */
export interface ApiRequest {
  /** As in `X-Request-Id`. */
  id: string;
  /** The API key's public id. */
  keyId: string;
  /** The operation id of the route. */
  operation: string;
  /** The `Idempotency-Key` and the SHA-256 of what was asked. */
  idempotency?: { key: string; sha256: Buffer };
}

/** The part of a caller that the journal knows; `request` is there exactly for API keys that write. */
export interface Writer {
  tenantId: string;
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

export type WriteResult = "created" | "updated" | "revoked" | "unchanged";

interface CertificateOfWrite {
  id: string;
  serialNumber: string;
  fingerprintSha256: string;
}

export interface WriteNote {
  /** The kind of record: `group`, `claim`, `certificate` … */
  resource: string;
  /** The record's id. */
  id: string;
  result: WriteResult;
  at: Date;
  /** What was issued or revoked. */
  certificate?: CertificateOfWrite;
}

/** How long a request is recognised by its Idempotency-Key. */
export const REMEMBERED_MS = DAY;

/** An answer is kept right after the commit of its work: whoever comes in between looks again a few times. */
const ON_ITS_WAY_MS = 10_000;
const BETWEEN_LOOKS_MS = 50;
const MOST_LOOKS = 20;

/**
 * Notes what an API key's request did, and takes its Idempotency-Key, in the transaction that does it: there is no write
 * without its entry, and no second write under one key. Does nothing for callers that are not API keys.
 *
 * @throws MusterError already_processed when another request took the same Idempotency-Key meanwhile
 */
export async function noteWrite(tx: Tx, writer: Writer, note: WriteNote, ids: Ids): Promise<void> {
  const { request } = writer;
  if (!request) return;
  if (request.idempotency) await takeIdempotencyKey(tx, request, request.idempotency, note);
  await insertWrite(tx, writer.tenantId, {
    id: ids.uuid(note.at),
    at: note.at,
    key_id: request.keyId,
    operation: request.operation,
    resource: note.resource,
    resource_id: note.id,
    result: note.result,
    address: writer.address ?? null,
    request_id: request.id,
    certificate_id: note.certificate?.id ?? null,
    serial_number: note.certificate?.serialNumber ?? null,
    fingerprint_sha256: note.certificate?.fingerprintSha256 ?? null,
  });
}

async function takeIdempotencyKey(
  tx: Tx,
  { keyId, operation }: ApiRequest,
  { key, sha256 }: NonNullable<ApiRequest["idempotency"]>,
  { id, at }: WriteNote,
): Promise<void> {
  const row = { key_id: keyId, idempotency_key: key, operation, request_sha256: sha256, resource_id: id, at };
  if (!(await takeKey(tx, row, addMs(at, -REMEMBERED_MS)))) throw alreadyProcessed(id);
}

/** What is remembered of API writes. */
export interface Audit {
  /**
   * The answer to the same request, carried out before under its Idempotency-Key, as it was sent then; `undefined` when the
   * key is new. `keptSoon`: answers of this operation are kept, so one that is missing may still be on its way.
   *
   * @throws MusterError idempotency_key_reused when it was another request; already_processed when there is no answer to give
   */
  recallAnswer(request: ApiRequest, keptSoon: boolean): Promise<string | undefined>;
  /** Keeps the answer for {@link recallAnswer}. */
  keepAnswer(request: ApiRequest, answer: string): Promise<void>;
  /** The API audit log of a tenant, newest first. */
  listApiWrites(tenantId: string, page: PageRequest): Promise<ApiWrite[]>;
  /** Forgets old Idempotency-Keys; to be called every few minutes. */
  prune(): Promise<void>;
}

export function createAudit({ database, clock }: { database: Database; clock: Clock }): Audit {
  const { db } = database;
  const since = () => addMs(clock.now(), -REMEMBERED_MS);
  return {
    async recallAnswer({ keyId, operation, idempotency }, keptSoon) {
      if (!idempotency) return undefined;
      for (let looks = 1; ; looks++) {
        const found = await findRequest(db, keyId, idempotency.key, since());
        if (!found) return undefined;
        const same = found.operation === operation && idempotency.sha256.equals(found.request_sha256);
        if (!same) throw idempotencyKeyReused();
        if (found.answer !== null) return found.answer;
        const fresh = clock.now().getTime() - found.at.getTime() < ON_ITS_WAY_MS;
        if (!keptSoon || !fresh || looks === MOST_LOOKS) throw alreadyProcessed(found.resource_id);
        await setTimeout(BETWEEN_LOOKS_MS);
      }
    },
    async keepAnswer({ keyId, idempotency }, answer) {
      if (idempotency) await keepAnswer(db, keyId, idempotency.key, answer);
    },
    listApiWrites: async (tenantId, page) => (await listWriteRows(db, tenantId, page)).map(toWrite),
    prune: () => forgetBefore(db, since()),
  };
}

function toWrite(row: Awaited<ReturnType<typeof listWriteRows>>[number]): ApiWrite {
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
