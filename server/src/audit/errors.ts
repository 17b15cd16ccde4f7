import { MusterError } from "../lib/errors.ts";

export type AuditErrorCode = "idempotency_key_reused" | "already_processed";

/** The key stands for another request: nothing was done (draft-ietf-httpapi-idempotency-key-header, 2.7). */
export function idempotencyKeyReused(): MusterError<"idempotency_key_reused"> {
  return new MusterError(
    "idempotency_key_reused",
    "this Idempotency-Key was used for another request; take a fresh key for each request",
    { detail: "Idempotency-Key" },
  );
}

/** The request was carried out before, but its answer cannot be given again: it showed a secret, or it was lost. */
export function alreadyProcessed(resourceId: string): MusterError<"already_processed"> {
  return new MusterError(
    "already_processed",
    "this request was carried out before and its answer is not kept: look at the resource it made, or, if its secret is lost, revoke that and ask again under a fresh Idempotency-Key",
    { extra: { resourceId } },
  );
}
