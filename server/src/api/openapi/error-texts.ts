import type { ErrorCode } from "../problem.ts";
import { ADMIN_ERROR_TEXTS } from "./admin-error-texts.ts";
import type { ErrorText } from "./error-text.ts";

/**
 * Every error code of the HTTPS surface, for the person who meets it. The compiler asks for a text when a code is added to
 * `PROBLEMS`; status and layer stand there, the operations that may answer it follow from the routes.
 */
export const ERROR_TEXTS = {
  ...ADMIN_ERROR_TEXTS,
  invalid_request: {
    summary: "Something in the request is not as the operation takes it.",
    more: "A field is missing, unknown, read-only, of the wrong type or outside its limits; the body is not JSON; or an id in it is none of your tenant's. The layer is `validation` when the shape is wrong, `handler` when the content is, `router` when the address cannot be read.",
    remedy:
      "Read `message` and `detail`: the one says what is wrong, the other names the field, or the id that is not known. Change the request.",
    again: "no",
    detail: "The name of the field, or the id that is not known, where there is one",
  },
  invalid_claim_request: {
    summary: "`expiresInMinutes` or `maxUses` is outside its limits.",
    remedy:
      "The message names the limit: 5 to 1440 minutes, 1 to 100 uses. Ask for less; for more devices, make more claims.",
    again: "no",
  },
  invalid_csr: {
    summary: "The certificate signing request cannot be used.",
    more: "It must be one PEM block with an EC key on the curve P-256, signed by that key. The message says which rule it breaks. A key that was blocked after a compromise is refused too.",
    remedy:
      "Make a new key and request on the device, for example with `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256`. No use of the claim was spent.",
    again: "no",
  },
  invalid_api_key: {
    summary: "There is no API key in `X-API-Key`, or it is not good (any more).",
    more: "Missing, malformed, unknown, revoked and expired keys all get the same answer, so that trying keys reveals nothing. A key also ends when its creator is deactivated, deleted or has the password reset. Reactivating the user does not restore it.",
    remedy:
      "Check that the whole key arrives, in the header `X-API-Key`. If it does, have an administrator of the tenant make a new one.",
    again: "no",
  },
  invalid_claim_code: {
    summary: "The claim code is not known.",
    remedy:
      "Compare it with what was shown when the claim was made; case, surrounding blanks and missing dashes do not matter. A code is shown once: if it is lost, make a new claim. Addresses that guess too often get `rate_limited`.",
    again: "no",
  },
  reenrollment_proof_required: {
    summary: "A device with this hardware fingerprint has enrolled before.",
    more: "A claim code alone must not be enough to take over an existing device.",
    remedy:
      "Send the request over mTLS with a valid certificate of that same device. If it has none left, an administrator deletes the device, which permits a first enrollment again. No use of the claim was spent.",
    again: "after a change elsewhere",
  },
  cert_invalid: {
    summary: "Renewal needs a current, valid device certificate over mTLS, and there was none.",
    more: "It was missing, revoked, expired, or not ours. The usual case is a repeated renewal: the first one succeeded and revoked the certificate, and its answer was lost.",
    remedy:
      "Use the newest certificate that the device has. If it has no valid one left, an administrator deletes the device so that it can enroll again, or issues a bundle; another claim code alone does not help.",
    again: "no",
  },
  insufficient_scope: {
    summary: "The key is good and may not do this.",
    more: "`write` does not imply `read`. Scopes of device certificates and `provisioning:write` are never implied by another scope.",
    remedy: "`detail` is the scope that is needed. Have a key made that has it; the scopes of a key do not change.",
    again: "no",
    detail: "The scope that is needed",
  },
  not_found: {
    summary: "There is nothing of this id in your tenant, or nothing at this address.",
    more: "An id of another tenant is answered exactly like one that does not exist. The layer is `router` when the address itself leads nowhere.",
    remedy: "Take ids from the list of the resource, and compare the address with this reference.",
    again: "no",
  },
  device_not_found: {
    summary: "There is no device of this id in your tenant.",
    remedy: "Take the `deviceId` from `GET /devices`. Device ids are case-sensitive.",
    again: "no",
  },
  certificate_not_found: {
    summary: "There is no certificate of this id in your tenant.",
    remedy:
      "Take the `id` from `GET /device-certificates`: neither the serial number nor the device's id will do. Revoking a revoked certificate again is no error.",
    again: "no",
  },
  method_not_allowed: {
    summary: "The address is right and does not take this method.",
    remedy: "The header `Allow` lists the methods it takes.",
    again: "no",
    headers: { Allow: "The methods of this address" },
    anywhere: "Every address answers it for methods that it does not have.",
  },
  request_timeout: {
    summary: "The request took too long to arrive.",
    more: "Headers have 10 seconds, the whole request has 20.",
    remedy: "Send the body at once, on a new connection. Nothing was done.",
    again: "later",
  },
  already_exists: {
    summary: "What the request would make is there already.",
    more: "The message says what it is: for example, an anomaly has one unfinished ticket at most.",
    remedy: "`detail` names what is there: an id or a name. Use that, or make something else.",
    again: "after a change elsewhere",
    detail: "The id or the name of what is there",
  },
  already_processed: {
    summary: "A request with this `Idempotency-Key` was carried out before, and its answer cannot be given again.",
    more: "That answer showed a secret, which is shown once, or it is not kept any more. Nothing was done a second time.",
    remedy:
      "Read what the first request made: `resourceId` is its id. If you need the secret, revoke that resource and repeat the request with a new key.",
    again: "no",
  },
  device_self_enrolled: {
    summary: "The device holds an active self-enrolled certificate.",
    more: "It made its own key, which never left it. A bundle beside it puts a second key into the world, so that has to be meant.",
    remedy: "If it is, send `acknowledgeSelfEnrollmentOverride: true`. The self-enrolled certificate goes on working.",
    again: "no",
  },
  device_cert_cap_reached: {
    summary: "The device holds as many live platform-generated certificates as it may.",
    more: "Live means neither revoked nor expired.",
    remedy: "Revoke one that is not used any more, then issue. To rotate: issue, install, revoke the old one.",
    again: "after a change elsewhere",
  },
  client_id_in_use: {
    summary: "The device's id is in use on the broker as the client id of another client.",
    more: "Client ids are shared by the whole broker. A device of another tenant holds a valid certificate for this id, or an MQTT client with a user name is registered under it. Nothing was issued, and no use of a claim was spent.",
    remedy:
      "For a bundle, add a device under another id and issue for that one. For a claim, redeem again: a fresh id is assigned.",
    again: "after a change elsewhere",
  },
  username_taken: {
    summary: "There is an MQTT client with this user name.",
    more: "User names of MQTT clients are unique over all tenants, because they share the broker.",
    remedy: "Register the client under another user name.",
    again: "after a change elsewhere",
    detail: "The user name",
    anywhere: "The API of the admin app answers it when an MQTT client is registered.",
  },
  cursor_expired: {
    summary: "Events between this cursor and the oldest that is stored have been deleted.",
    more: "Events are stored for 48 hours, and a restored backup has other cursors.",
    remedy: "Load what you show again, and follow the events from now on, without a cursor.",
    again: "no",
    anywhere: "The event stream of the admin app answers it.",
  },
  claim_exhausted: {
    summary: "Every use of the claim is spent.",
    remedy: "Make a new claim, with a greater `maxUses` for several devices.",
    again: "no",
  },
  in_use: {
    summary: "Other records refer to this one, so it cannot be deleted.",
    remedy: "The message says what refers to it, and how many do. Change or end those first.",
    again: "after a change elsewhere",
    anywhere: "The API of the admin app answers it when a record is deleted.",
  },
  quota_exceeded: {
    summary: "The tenant would have more than its quota allows.",
    more: "A quota bounds how many devices, groups, threshold packs and other records a tenant may have. Nothing was done, and no use of a claim was spent.",
    remedy:
      "`quota` names the quota and `limit` is its value. Delete what is not needed, or have the operator of the service raise the quota.",
    again: "after a change elsewhere",
  },
  invalid_transition: {
    summary: "The ticket cannot go from the status it has to the one asked for.",
    more: "An `open` ticket goes to `in_progress`, from there to `on_hold` and back, and from either to `completed`. What is unfinished can become `cancelled`; what is finished can become `open` again.",
    remedy: "`allowed` lists the possible moves. Get the ticket again if another user may have moved it.",
    again: "no",
    detail: "The status that was asked for",
  },
  webhook_inactive: {
    summary: "Nothing is sent to this webhook now.",
    more: "Its receiver has not confirmed it yet, or it has answered `410`, which disables it.",
    remedy:
      "`state` says which. `disabled`: `POST /webhooks/{id}/enable`. Otherwise have the receiver answer `channel.confirmation` with its challenge; `lastCheck` of the webhook shows what it answered, and `POST /webhooks/{id}/confirmation` asks it again.",
    again: "after a change elsewhere",
  },
  claim_expired: {
    summary: "The claim's lifetime is over.",
    remedy: "Make a new claim. A claim lives for at most 24 hours; make it shortly before the device enrolls.",
    again: "no",
  },
  claim_revoked: {
    summary: "The claim was revoked.",
    remedy: "An admin or an API key revoked it. If the device should enroll all the same, create a new claim.",
    again: "no",
  },
  precondition_failed: {
    summary: "The record has changed since the copy that `If-Match` names.",
    more: "Nothing was written.",
    remedy: "Get the record again, check what has changed, and send your change with its new `ETag`.",
    again: "no",
  },
  payload_too_large: {
    summary: "The body is larger than this address takes.",
    more: "The public API takes 256 KiB, the device-facing endpoints 16 KiB.",
    remedy: "Send less, or in several requests.",
    again: "no",
  },
  unsupported_media_type: {
    summary: "The body is not JSON, or it is compressed.",
    remedy: "Send `Content-Type: application/json` and no `Content-Encoding`.",
    again: "no",
  },
  expectation_failed: {
    summary: "The request expects something that this service does not know.",
    remedy: "Leave out the header `Expect`, or send `Expect: 100-continue`.",
    again: "no",
    anywhere: "Every address answers it, before any other check.",
  },
  idempotency_key_reused: {
    summary: "This `Idempotency-Key` stands for another request.",
    more: "The same key came before with another operation, address or body. Nothing was done.",
    remedy: "Make a fresh key for every new request, for example a UUID, and keep it only for repetitions of that one.",
    again: "no",
  },
  rate_limited: {
    summary: "Too many requests.",
    more: "An API key may make 120 requests in any 60 seconds; keys do not share a budget, and refused requests do not count. At the device-facing endpoints the count is per address, and unknown claim codes are counted apart. Besides, a tenant may create only so many tickets in any 60 seconds, with all its keys together.",
    remedy:
      "Wait for as many seconds as `Retry-After` says, then send the request again. `RateLimit` on every answer says how many are left.",
    again: "later",
    headers: { "Retry-After": "Whole seconds to wait" },
  },
  headers_too_large: {
    summary: "The request's headers are larger than 32 KiB together.",
    remedy: "Send fewer or shorter headers; look for a proxy that adds to them.",
    again: "no",
    anywhere: "Every address answers it, before any other check.",
  },
  internal_error: {
    summary: "An unexpected failure of the service.",
    remedy:
      "Try again later. If it stays, report it with the `requestId`: the service's log has the rest under it. A write may have been done; repeat a POST with the same `Idempotency-Key`.",
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
