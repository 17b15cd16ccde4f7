import type { ErrorCode } from "../problem.ts";
import { ADMIN_ERROR_TEXTS } from "./admin-error-texts.ts";
import type { ErrorText } from "./error-text.ts";

/**
 * Every error code of the HTTPS surface, for the person who encounters it. The compiler requires a text when a code is
 * added to `PROBLEMS`, which has the status and layer; the operations that may answer a code follow from the routes.
 */
export const ERROR_TEXTS = {
  ...ADMIN_ERROR_TEXTS,
  invalid_request: {
    summary: "Some part of the request is not valid for the operation.",
    more: "A field is missing, unknown, read-only, of the wrong type or outside its limits; the body is not JSON; or an id in it does not belong to your tenant. The layer is `validation` if the shape is wrong, `handler` if the content is wrong, and `router` if the address cannot be parsed.",
    remedy:
      "Read `message`, which says what is wrong, and `detail`, which names the field or the unknown id. Change the request.",
    again: "no",
    detail: "The name of the field or the unknown id, if there is one",
  },
  invalid_claim_request: {
    summary: "`expiresInMinutes` or `maxUses` is outside its limits, or the claim re-enrolls another device.",
    remedy:
      "The message names the limit: 5 to 1440 minutes, 1 to 100 uses. Use smaller values; for more devices, create more claims. A claim that re-enrolls a device is redeemed by that device only.",
    again: "no",
  },
  invalid_csr: {
    summary: "The certificate signing request cannot be used.",
    more: "It must be one PEM block with an EC key on the curve P-256, signed by that key. The message names the violated rule. A key that was blocked after a compromise is refused as well.",
    remedy:
      "Create a new key and request on the device, for example with `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256`. No use of the claim was spent.",
    again: "no",
  },
  invalid_api_key: {
    summary: "The API key in `X-API-Key` is missing, or is not or no longer valid.",
    more: "Missing, malformed, unknown, revoked and expired keys all get the same answer, so that trying keys reveals nothing. A key also ends when its creator is deactivated, deleted or has the password reset. Reactivating the user does not restore it.",
    remedy:
      "Check that the whole key arrives, in the header `X-API-Key`. If it does, ask an administrator of the tenant to create a new one.",
    again: "no",
  },
  invalid_claim_code: {
    summary: "The claim code is not known.",
    remedy:
      "Compare it with the code shown when the claim was created; case, surrounding blanks and missing dashes do not matter. A code is shown once: if it is lost, create a new claim. Addresses that guess too often get `rate_limited`.",
    again: "no",
  },
  reenrollment_proof_required: {
    summary: "A device with this hardware fingerprint has enrolled before.",
    more: "A claim code alone must not be sufficient to take over an existing device.",
    remedy:
      "Send the request over mTLS with a valid certificate of that same device. If it has none left, an administrator deletes the device, so that it can enroll again. No use of the claim was spent.",
    again: "after a change elsewhere",
  },
  cert_invalid: {
    summary: "Renewal needs a current, valid device certificate over mTLS, and there was none.",
    more: "The certificate was missing, revoked, expired, or issued by another authority. The usual case is a repeated renewal: the first one succeeded and revoked the certificate, but its answer was lost.",
    remedy:
      "Use the newest certificate that the device has. If it has no valid one left, an administrator deletes the device so that it can enroll again, or issues a bundle; another claim code alone does not help.",
    again: "no",
  },
  address_not_allowed: {
    summary: "The service account of the key does not admit requests from this address.",
    more: "The key is valid. The refusal is in the administrative audit, and the request does not count against the rate limit.",
    remedy: "`detail` is the address. Ask an administrator to add it to the account's address ranges.",
    again: "no",
    detail: "The address of the request",
  },
  insufficient_scope: {
    summary: "The key is valid but may not do this.",
    more: "`write` does not imply `read`. Scopes of device certificates and `provisioning:write` are never implied by another scope.",
    remedy: "`detail` is the required scope. Ask for a new key that has it; the scopes of a key do not change.",
    again: "no",
    detail: "The required scope",
  },
  not_found: {
    summary: "There is no record with this id in your tenant, or nothing at this address.",
    more: "An id of another tenant is answered exactly like one that does not exist. The layer is `router` if the address itself does not exist.",
    remedy: "Take ids from the resource's list, and compare the address with this reference.",
    again: "no",
  },
  device_not_found: {
    summary: "There is no device with this id in your tenant.",
    remedy: "Take the `deviceId` from `GET /devices`. Device ids are case-sensitive.",
    again: "no",
  },
  certificate_not_found: {
    summary: "There is no certificate with this id in your tenant.",
    remedy:
      "Take the `id` from `GET /device-certificates`: neither the serial number nor the device's id works. Revoking a revoked certificate again is not an error.",
    again: "no",
  },
  method_not_allowed: {
    summary: "The address exists but does not support this method.",
    remedy: "The header `Allow` lists the supported methods.",
    again: "no",
    headers: { Allow: "The methods of this address" },
    anywhere: "Every address answers it for unsupported methods.",
  },
  request_timeout: {
    summary: "The request took too long to arrive.",
    more: "Headers must arrive within 10 seconds, the whole request within 20.",
    remedy: "Send the body without delay, on a new connection. Nothing was done.",
    again: "later",
  },
  already_exists: {
    summary: "The record that the request would create already exists.",
    more: "The message says what it is: for example, an anomaly has at most one unfinished ticket.",
    remedy: "`detail` names the existing record by id or name. Use that, or create a different one.",
    again: "after a change elsewhere",
    detail: "The id or the name of the existing record",
  },
  already_processed: {
    summary: "A request with this `Idempotency-Key` was already executed, and its answer cannot be repeated.",
    more: "That answer contained a secret, which is shown once, or it is no longer stored. Nothing was done a second time.",
    remedy:
      "Read the record that the first request created: `resourceId` is its id. If you need the secret, revoke that record and repeat the request with a new key.",
    again: "no",
  },
  device_self_enrolled: {
    summary: "The device has an active self-enrolled certificate.",
    more: "The device generated its own key, which never left it. A bundle adds a second key, which must be intended.",
    remedy:
      "If this is intended, send `acknowledgeSelfEnrollmentOverride: true`. The self-enrolled certificate stays valid.",
    again: "no",
  },
  device_cert_cap_reached: {
    summary: "The device has the maximum number of live platform-generated certificates.",
    more: "Live means neither revoked nor expired.",
    remedy: "Revoke one that is no longer used, then issue. To rotate: issue, install, revoke the old one.",
    again: "after a change elsewhere",
  },
  client_id_in_use: {
    summary: "The device's id is in use on the broker as the client id of another client.",
    more: "Client ids are shared by the whole broker. A device of another tenant has a valid certificate for this id, or an MQTT client with a user name is registered under it. Nothing was issued, and no use of a claim was spent.",
    remedy:
      "For a bundle, add a device under another id and issue for that one. For a claim, redeem again: a new id is assigned.",
    again: "after a change elsewhere",
  },
  username_taken: {
    summary: "There is an MQTT client with this user name.",
    more: "User names of MQTT clients are unique across all tenants, because they share the broker.",
    remedy: "Register the client under another user name.",
    again: "after a change elsewhere",
    detail: "The user name",
    anywhere: "The API of the admin app answers it when an MQTT client is registered.",
  },
  cursor_expired: {
    summary: "Events between this cursor and the oldest stored one have been deleted.",
    more: "Events are stored for 48 hours, and a restored backup has other cursors.",
    remedy: "Reload your data, and follow the events from now on, without a cursor.",
    again: "no",
    anywhere: "The event stream of the admin app answers it.",
  },
  claim_exhausted: {
    summary: "Every use of the claim is spent.",
    remedy: "Create a new claim, with a greater `maxUses` for several devices.",
    again: "no",
  },
  in_use: {
    summary: "Other records refer to this one, so it cannot be deleted.",
    remedy: "The message gives the kind and number of these records. Change or end them first.",
    again: "after a change elsewhere",
    anywhere: "The API of the admin app answers it when a record is deleted.",
  },
  quota_exceeded: {
    summary: "The tenant would have more than its quota allows.",
    more: "A quota limits how many devices, groups, threshold packs and other records a tenant may have. Nothing was done, and no use of a claim was spent.",
    remedy:
      "`quota` names the quota and `limit` is its value. Delete records that are not needed, or ask the operator of the service to raise the quota.",
    again: "after a change elsewhere",
  },
  invalid_transition: {
    summary: "The ticket cannot change from its present status to the requested one.",
    more: "An `open` ticket changes to `in_progress`, from there to `on_hold` and back, and from either to `completed`. An unfinished ticket can become `cancelled`; a finished one can become `open` again.",
    remedy: "`allowed` lists the possible statuses. Read the ticket again if another user may have changed it.",
    again: "no",
    detail: "The requested status",
  },
  webhook_inactive: {
    summary: "Nothing is sent to this webhook now.",
    more: "Its receiver has not confirmed it yet, or it has answered `410`, which disables it.",
    remedy:
      "`state` says which. `disabled`: `POST /webhooks/{id}/enable`. Otherwise make the receiver answer `channel.confirmation` with its challenge; `lastCheck` of the webhook shows its answer, and `POST /webhooks/{id}/confirmation` sends the request again.",
    again: "after a change elsewhere",
  },
  claim_expired: {
    summary: "The claim's lifetime is over.",
    remedy: "Create a new claim. A claim lasts for at most 24 hours; create it shortly before the device enrolls.",
    again: "no",
  },
  claim_revoked: {
    summary: "The claim was revoked.",
    remedy: "An admin or an API key revoked it. If the device should still enroll, create a new claim.",
    again: "no",
  },
  precondition_failed: {
    summary: "The record has changed since the copy that `If-Match` names.",
    more: "Nothing was written.",
    remedy: "Read the record again, check what has changed, and send your change with its new `ETag`.",
    again: "no",
  },
  payload_too_large: {
    summary: "The body is larger than this address accepts.",
    more: "The public API accepts 256 KiB, the device-facing endpoints 16 KiB.",
    remedy: "Send less, or in several requests.",
    again: "no",
  },
  unsupported_media_type: {
    summary: "The body is not JSON, or it is compressed.",
    remedy: "Send `Content-Type: application/json` and no `Content-Encoding`.",
    again: "no",
  },
  expectation_failed: {
    summary: "The request has an expectation that this service does not support.",
    remedy: "Omit the header `Expect`, or send `Expect: 100-continue`.",
    again: "no",
    anywhere: "Every address answers it, before any other check.",
  },
  idempotency_key_reused: {
    summary: "This `Idempotency-Key` belongs to another request.",
    more: "The same key was used before with another operation, address or body. Nothing was done.",
    remedy:
      "Use a new key for every new request, for example a UUID, and reuse it only for repetitions of that request.",
    again: "no",
  },
  rate_limited: {
    summary: "Too many requests.",
    more: "An API key may make 120 requests in any 60 seconds; keys do not share a budget, and refused requests do not count. At the device-facing endpoints the count is per address, and unknown claim codes are counted separately. In addition, the number of tickets that a tenant may create in any 60 seconds is limited, across all its keys.",
    remedy:
      "Wait for the number of seconds in `Retry-After`, then send the request again. `RateLimit` on every answer gives the number of remaining requests.",
    again: "later",
    headers: { "Retry-After": "Whole seconds to wait" },
  },
  headers_too_large: {
    summary: "The request's headers are larger than 32 KiB together.",
    remedy: "Send fewer or shorter headers; check whether a proxy adds to them.",
    again: "no",
    anywhere: "Every address answers it, before any other check.",
  },
  internal_error: {
    summary: "An unexpected failure of the service.",
    remedy:
      "Try again later. If it persists, report it with the `requestId`, under which the service's log has the details. A write may have been done; repeat a POST with the same `Idempotency-Key`.",
    again: "later",
  },
  issuance_failed: {
    summary: "The certificate could not be signed.",
    more: "Nothing was issued, and no use of a claim was spent.",
    remedy: "Send the request again after `Retry-After` seconds.",
    again: "later",
    headers: { "Retry-After": "Whole seconds to wait" },
  },
  catalog_unavailable: {
    summary: "The service cannot reach its database.",
    remedy: "Send the request again after `Retry-After` seconds; a POST with the same `Idempotency-Key`.",
    again: "later",
    headers: { "Retry-After": "Whole seconds to wait" },
  },
} as const satisfies Record<ErrorCode, ErrorText>;
