import type { Tx } from "../db/database.ts";
import type { Ids } from "../lib/ids.ts";
import { insertWrite } from "./api-audit-store.ts";
import type { ApiRequest } from "./idempotency.ts";

export type WriteResult = "created" | "updated" | "revoked" | "deleted" | "unchanged";

export interface CertificateOfWrite {
  id: string;
  serialNumber: string;
  fingerprintSha256: string;
}

/** A write of an API key, as in the API audit log. */
export interface KeyWrite {
  /** The kind of record: `group`, `claim`, `certificate` … */
  resource: string;
  /** The record's id. */
  id: string;
  result: WriteResult;
  at: Date;
  /** The certificate that was issued or revoked. */
  certificate?: CertificateOfWrite;
}

/** Records a write of an API key, in the transaction of the write. */
export async function recordKeyWrite(
  tx: Tx,
  { tenantId, address, request }: { tenantId: string | null; address?: string | undefined; request?: ApiRequest },
  { resource, id, result, at, certificate }: KeyWrite,
  ids: Ids,
): Promise<void> {
  if (tenantId === null || request === undefined)
    throw new Error("an API key can write only within a request, and in its own tenant");
  await insertWrite(tx, tenantId, {
    id: ids.uuid(at),
    at,
    key_id: request.holder,
    operation: request.operation,
    resource,
    resource_id: id,
    result,
    address: address ?? null,
    request_id: request.id,
    certificate_id: certificate?.id ?? null,
    serial_number: certificate?.serialNumber ?? null,
    fingerprint_sha256: certificate?.fingerprintSha256 ?? null,
  });
}
