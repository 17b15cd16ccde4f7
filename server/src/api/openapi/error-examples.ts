import { type ErrorCode, PROBLEMS } from "../problem.ts";

/** An example of an error's answer: its message, `detail` and the fields that only this code has. */
interface ErrorExample {
  message: string;
  detail?: string;
  /** Fields beyond those of every error, each with its schema and a value. */
  fields?: Record<string, { schema: object; value: unknown }>;
}

const count = (description: string) => ({ type: "integer", description });

/** An example for every code; the compiler requires one for a new code. */
const EXAMPLES: Record<ErrorCode, ErrorExample> = {
  invalid_request: { message: "limit must be a whole number.", detail: "limit" },
  invalid_claim_request: { message: "expiresInMinutes must be from 5 to 1440 (24 hours)." },
  invalid_csr: { message: "The CSR's public key is not a point on the P-256 curve." },
  invalid_api_key: { message: "The API key is missing, malformed, unknown, revoked or expired." },
  invalid_claim_code: { message: "This claim code is not known." },
  reenrollment_proof_required: {
    message:
      "A device with this hardware fingerprint has enrolled before: present its valid certificate over mTLS, or have an administrator delete the device.",
  },
  cert_invalid: { message: "Renewal needs the device's current, valid certificate over mTLS." },
  insufficient_scope: { message: "This needs the scope groups:write.", detail: "groups:write" },
  session_required: { message: "Sign in: there is no session, or it has ended." },
  invalid_credentials: { message: "The email address or the password is wrong." },
  sign_in_incomplete: {
    message: "The password was drawn by the service: choose one of your own first.",
    detail: "password",
  },
  sign_in_throttled: {
    message: "Too many attempts failed; try again at 10:25 UTC.",
    fields: {
      until: {
        schema: { type: "string", format: "date-time", description: "When the next attempt is admitted" },
        value: "2026-11-20T10:25:00.000Z",
      },
    },
  },
  link_expired: { message: "This link was used, was replaced by a newer one, or has expired." },
  factor_required: { message: "This needs a code of your second factor, too.", detail: "code" },
  factor_missing: { message: "Set up a second factor of your own first, on the page of your account." },
  factor_mandatory: {
    message: "The tenant requires a second factor of its admins: set up another one in its place.",
  },
  last_admin: { message: "This is the last active admin of the tenant: make another user an admin first." },
  last_operator: {
    message:
      "This is the last active user who runs the installation: let another admin run it first with muster user platform.",
  },
  foreign_origin: {
    message: "The admin API takes requests of the admin app's own pages only.",
    detail: "Sec-Fetch-Site: cross-site",
  },
  insufficient_role: { message: "This needs the role admin.", detail: "admin" },
  reauthentication_required: {
    message: "This needs your password, and your second factor where you have one, given within the last 10 minutes.",
  },
  not_found: { message: "There is no such group." },
  device_not_found: { message: "There is no such device." },
  certificate_not_found: { message: "There is no such certificate." },
  method_not_allowed: { message: "This address takes GET, POST, HEAD." },
  request_timeout: { message: "The request took too long to arrive." },
  already_exists: {
    message: "The anomaly already has an unfinished ticket.",
    detail: "0199c1d0-4a00-7b3e-8f4e-0d5a4f1f2b3c",
  },
  device_self_enrolled: {
    message:
      "The device holds an active self-enrolled certificate; send acknowledgeSelfEnrollmentOverride: true to issue all the same.",
  },
  device_cert_cap_reached: {
    message: "The device holds as many live platform-generated certificates as it may.",
    fields: {
      activeCount: { schema: count("How many live platform-generated certificates the device holds"), value: 2 },
      maxActivePlatformCertsPerDevice: { schema: count("How many it may hold"), value: 2 },
    },
  },
  already_processed: {
    message: "This request was carried out before and its answer is not stored: read the resource it made.",
    fields: {
      resourceId: {
        schema: { type: "string", description: "The id of what the first request made" },
        value: "0199c1c5-6a00-7b3e-8f4e-0d5a4f1f2b3c",
      },
    },
  },
  client_id_in_use: { message: "This device id is in use as a client id elsewhere on the broker; nothing was issued." },
  in_use: {
    message: "The device type is in use: give its devices another one, and revoke the claims that name it.",
    fields: {
      devices: { schema: count("How many devices have it"), value: 12 },
      openClaims: { schema: count("How many claims that can still be redeemed name it"), value: 1 },
    },
  },
  quota_exceeded: {
    message:
      "The tenant would have 1,000,001 devices that are not deleted; its quota devices allows 1,000,000. Delete what is not needed, or have the quota raised with muster tenant quota.",
    fields: {
      quota: { schema: { type: "string", description: "The name of the quota" }, value: "devices" },
      limit: { schema: count("How many the tenant may have"), value: 1_000_000 },
    },
  },
  username_taken: { message: "There is already an MQTT client with this user name.", detail: "scada" },
  cursor_expired: { message: "Events after this cursor have been deleted." },
  claim_exhausted: { message: "Every use of this claim is spent." },
  invalid_transition: {
    message: "A ticket that is open can become in_progress or cancelled, not completed.",
    detail: "completed",
    fields: {
      allowed: {
        schema: { type: "array", items: { type: "string" }, description: "The statuses that it can go to" },
        value: ["in_progress", "cancelled"],
      },
    },
  },
  webhook_inactive: {
    message: "The receiver of the webhook has not confirmed it yet.",
    fields: {
      state: { schema: { type: "string", description: "The webhook's `state`" }, value: "requested" },
    },
  },
  claim_expired: { message: "This claim has expired." },
  claim_revoked: { message: "This claim was revoked." },
  precondition_failed: { message: "The record has changed since; read it again and repeat.", detail: "If-Match" },
  payload_too_large: { message: "The body is larger than this endpoint takes." },
  unsupported_media_type: { message: "The body must be application/json." },
  expectation_failed: { message: "The only expectation understood is 100-continue." },
  idempotency_key_reused: {
    message: "This Idempotency-Key was used for another request; use a new key for each request.",
    detail: "Idempotency-Key",
  },
  rate_limited: { message: "At most 120 requests in any 60 seconds a key." },
  headers_too_large: { message: "The headers are too large." },
  internal_error: { message: "Something went wrong; the request id leads to the log." },
  issuance_failed: { message: "The certificate could not be issued; retry shortly." },
  catalog_unavailable: { message: "The service cannot reach its database; retry shortly." },
};

/** The example body of `code`. */
export function exampleOf(code: ErrorCode): Record<string, unknown> {
  const { message, detail, fields = {} } = EXAMPLES[code];
  return {
    error: code,
    middleware: code === "invalid_request" ? "validation" : PROBLEMS[code].middleware,
    message,
    requestId: "k3vq7xw2n5tbh-2f",
    ...(detail === undefined ? {} : { detail }),
    ...Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value])),
  };
}

/** The schemas of the fields that only some of `codes` have. */
export function fieldsOf(codes: readonly ErrorCode[]): Record<string, object> {
  const fields = codes.flatMap((code) => Object.entries(EXAMPLES[code].fields ?? {}));
  return Object.fromEntries(fields.map(([name, { schema }]) => [name, schema]));
}
