import { createHash } from "node:crypto";
import { Refusal } from "../problem.ts";

/** Visible ASCII, which includes quoted structured-field strings (draft-ietf-httpapi-idempotency-key-header). */
const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Returns the request's `Idempotency-Key` with the digest of its input, which distinguishes a repetition from another
 * request.
 *
 * @throws Refusal invalid_request if the header cannot be a key
 */
export function idempotencyOf(
  header: string | string[] | undefined,
  input: unknown,
): { key: string; sha256: Buffer } | undefined {
  if (header === undefined) return undefined;
  if (typeof header !== "string" || !KEY.test(header)) {
    throw new Refusal("invalid_request", "Idempotency-Key must be 1 to 255 visible ASCII characters", {
      middleware: "validation",
      detail: "Idempotency-Key",
    });
  }
  return { key: header, sha256: createHash("sha256").update(JSON.stringify(input)).digest() };
}
