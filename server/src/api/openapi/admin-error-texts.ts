import type { ErrorText } from "./error-text.ts";

/** Error codes that only the admin API answers. */
export const ADMIN_ERROR_TEXTS = {
  session_required: {
    summary: "There is no session, or it has ended.",
    more: "A session of the admin app ends 24 hours after sign-in, after 8 hours without a request by its user, and immediately when the user is deactivated, gets another role or another password, or signs out.",
    remedy: "Sign in.",
    again: "no",
    anywhere: "Operations of the admin API, which the admin app uses.",
  },
  invalid_credentials: {
    summary: "The e-mail address, the password, the code or the passkey is wrong, or the user is deactivated.",
    more: "A code of an authenticator app is accepted once, during its 30 seconds and the 30 before and after; a recovery code once.",
    remedy:
      "Try again; with a code of the second factor, wait for the next one. Or ask for a reset of the password or the factor.",
    again: "no",
    detail:
      "`password`, `code` or `passkey`, if only that can be wrong; `passkey_counter` if the passkey may have been copied",
    anywhere: "The sign-in of the admin app.",
  },
  sign_in_incomplete: {
    summary: "The sign-in is not complete.",
    more: "A user with a second factor must give it: `POST /api/admin/session/factor`, or `POST /api/admin/session/passkey/start`. A password that the service generated must be changed: `PUT /api/admin/password`. An admin whose tenant requires a second factor must set one up: `POST /api/admin/factors` or `POST /api/admin/passkeys/start`.",
    remedy: "Do what `detail` names, then repeat the request.",
    again: "after a change elsewhere",
    detail: "The missing part: `code`, `password` or `factor`",
    anywhere: "Operations of the admin API, which the admin app uses.",
  },
  sign_in_throttled: {
    summary: "Too many sign-ins of this account, or from this address, failed.",
    more: "The limits are 10 failures in 10 minutes per account from all unknown browsers together, or from one known browser, and 30 per address. Correct passwords are refused as well. A browser in which the user has signed in before has its own count, so that others cannot lock the user out. Second-factor codes are counted in the same way, separately from passwords; for unknown browsers there is also a limit of 30 wrong codes per day.",
    remedy: "Wait until the time in `until`, reset the password, or ask an administrator to run `muster user unlock`.",
    again: "later",
    headers: { "Retry-After": "Whole seconds to wait" },
    anywhere: "The sign-in of the admin app.",
  },
  link_expired: {
    summary: "The link was used, was replaced by a newer one, or has expired.",
    more: "Links work once: for set-up within an hour, for an invitation within 72 hours, for a new password within 30 minutes.",
    remedy: "Ask for another link.",
    again: "no",
    anywhere: "Links of the admin app.",
  },
  sign_in_refused: {
    summary: "The identity provider vouches for the person, who is not let in.",
    remedy: "Do what the message says; most often an administrator must act.",
    again: "after a change elsewhere",
    detail: "The reason, such as `no_account`, `unverified_email` or `other_account`",
    anywhere: "Sign-in at an identity provider in the admin app.",
  },
  sign_in_flow_expired: {
    summary: "The answer of the identity provider belongs to no sign-in that this browser has begun.",
    more: "A sign-in is completed once, within 10 minutes, in the browser that began it.",
    remedy: "Begin the sign-in again.",
    again: "no",
    anywhere: "Sign-in at an identity provider in the admin app.",
  },
  challenge_expired: {
    summary: "The passkey signed no challenge that this browser was given, or one that was used or has expired.",
    more: "A challenge is accepted once, within 5 minutes, in the browser and the session that got it, and for its purpose alone.",
    remedy: "Begin again.",
    again: "no",
    anywhere: "Passkeys of the admin app.",
  },
  sso_required: {
    summary: "The tenant requires that its users sign in at its identity provider.",
    remedy: "Sign in there. Named admins with a second factor can be exempt.",
    again: "no",
    anywhere: "Sign-in, invitations and password resets of the admin app.",
  },
  provider_untested: {
    summary: "The identity provider has not been tested since its connection was changed.",
    remedy: "Test it with a sign-in: `POST /api/admin/single-sign-on/test`.",
    again: "after a change elsewhere",
    anywhere: "`PUT /api/admin/single-sign-on` of the admin API, which the admin app uses.",
  },
  provider_failed: {
    summary: "The identity provider cannot be reached, refused, or gave an answer that is not valid.",
    more: "Only the admins who test the provider are told the cause; otherwise it is in the log.",
    remedy: "Begin the sign-in again; an admin tests the provider.",
    again: "later",
    detail: "The cause, in a test",
    anywhere: "Sign-in at an identity provider in the admin app.",
  },
  factor_required: {
    summary: "The user has a second factor, and the request contains none.",
    remedy:
      "Send `code`: six digits from the authenticator app, or a recovery code. Or use a passkey: `POST /api/admin/session/passkey/start`.",
    again: "no",
    detail: "The missing field: `code`",
    anywhere: "`POST /api/admin/session/step-up` of the admin API, which the admin app uses.",
  },
  factor_missing: {
    summary: "An admin requires a second factor of all admins, and has none.",
    more: "Admins without one can only set one up, so the admin who sets the rule must have one first.",
    remedy: "Set up a second factor: `POST /api/admin/factors` or `POST /api/admin/passkeys/start`.",
    again: "after a change elsewhere",
    anywhere: "`PATCH /api/admin/tenant` of the admin API, which the admin app uses.",
  },
  factor_mandatory: {
    summary: "The tenant requires a second factor of the user, so the last one cannot be removed.",
    more: "It is required of admins by the tenant's rule, and of admins who are exempt from single sign-on.",
    remedy: "Set up another one first, or change the tenant's rule.",
    again: "after a change elsewhere",
    anywhere: "Second factors in the admin app.",
  },
  last_admin: {
    summary: "The tenant would have no admin who can sign in.",
    remedy: "Make another user an admin first.",
    again: "after a change elsewhere",
    anywhere: "Changes of users in the admin app.",
  },
  last_operator: {
    summary: "No active user would run the installation.",
    remedy: "Authorize another admin first: `muster user platform <email>` on the service's machine.",
    again: "after a change elsewhere",
    anywhere: "Changes of users in the admin app.",
  },
  foreign_origin: {
    summary: "The request comes from a page of another origin.",
    more: "The admin API accepts requests with `Sec-Fetch-Site: same-origin` or, without that header, with this service's own `Origin`. A write with a cookie needs one of the two.",
    remedy: "Programs use the public API with an API key.",
    again: "no",
    detail: "The header that shows it",
    anywhere: "Operations of the admin API, which the admin app uses.",
  },
  insufficient_role: {
    summary: "The user's role does not permit the operation.",
    remedy: "Ask an admin of the tenant to do it, or to give you another role.",
    again: "no",
    detail: "The least role that the operation needs",
    anywhere: "Operations of the admin API, which the admin app uses.",
  },
  reauthentication_required: {
    summary: "The operation is dangerous, and the user last entered password and second factor too long ago.",
    remedy:
      "Enter them again with `POST /api/admin/session/step-up`, then repeat the request with the same `Idempotency-Key`.",
    again: "no",
    anywhere: "Dangerous operations of the admin API, which the admin app uses.",
  },
} as const satisfies Record<string, ErrorText>;
