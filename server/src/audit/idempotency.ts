import type { Tx } from "../db/database.ts";
import { addMs, DAY } from "../lib/clock.ts";
import { alreadyProcessed } from "./errors.ts";
import { reserveKey } from "./idempotency-store.ts";

/** A write over HTTPS by an API key or a signed-in user. */
export interface ApiRequest {
  /** The value of `X-Request-Id`. */
  id: string;
  /** The owner of the stored `Idempotency-Key`: the API key's public id, or `user:<id>`. */
  holder: string;
  /**
   * The kind of author: writes of users are recorded in the administrative audit, those of API keys in the API audit
   * log.
   */
  by: "key" | "user";
  /** The operation id of the route. */
  operation: string;
  /** The `Idempotency-Key` and the SHA-256 of the request. */
  idempotency?: { key: string; sha256: Buffer };
}

/** The time for which an Idempotency-Key identifies a request. */
export const IDEMPOTENCY_MS = DAY;

/**
 * Reserves the `Idempotency-Key` of a request that has one, in the transaction of its write.
 *
 * @throws MusterError already_processed
 */
export async function reserveIdempotencyKey(
  tx: Tx,
  { request }: { request?: ApiRequest },
  { id, at }: { id: string; at: Date },
): Promise<void> {
  if (!request?.idempotency) return;
  const { holder, operation, idempotency } = request;
  const { key, sha256 } = idempotency;
  const row = { key_id: holder, idempotency_key: key, operation, request_sha256: sha256, resource_id: id, at };
  if (!(await reserveKey(tx, row, addMs(at, -IDEMPOTENCY_MS)))) throw alreadyProcessed(id);
}
