import { MusterError } from "../lib/errors.ts";

export type AuditErrorCode = "idempotency_key_reused" | "already_processed";

/**
 * Returns the error for a key that belongs to another request; nothing was done
 * (draft-ietf-httpapi-idempotency-key-header, 2.7).
 */
export function idempotencyKeyReused(): MusterError<"idempotency_key_reused"> {
  return new MusterError(
    "idempotency_key_reused",
    "this Idempotency-Key was used for another request; use a new key for each request",
    { detail: "Idempotency-Key" },
  );
}

/**
 * Returns the error for a request that was already carried out but has no stored response: it showed a secret, or the
 * process ended before storing it.
 */
export function alreadyProcessed(resourceId: string): MusterError<"already_processed"> {
  return new MusterError(
    "already_processed",
    "this request was carried out before and its answer is not stored: read the resource it made, or, if its secret is lost, revoke that and repeat the request under a new Idempotency-Key",
    { extra: { resourceId } },
  );
}
