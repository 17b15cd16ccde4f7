import type { ErrorText } from "./error-text.ts";

/** Error codes that only the admin API answers. */
export const ADMIN_ERROR_TEXTS = {
  session_required: {
    summary: "There is no session, or it has ended.",
    more: "A session of the admin app ends 24 hours after the sign-in, after 8 hours without a request that its user made, and at once when the user is deactivated, gets another role or another password, or signs out.",
    remedy: "Sign in.",
    again: "no",
    anywhere: "Operations of the admin API, which the admin app uses.",
  },
  invalid_credentials: {
    summary: "The email address, the password or the code is wrong, or the user is deactivated.",
    more: "A code of an authenticator app is accepted once, during its 30 seconds and the 30 before and after; a recovery code once.",
    remedy:
      "Try again; with a code of the second factor, wait for the next one. Or have the password or the factor reset.",
    again: "no",
    detail: "`password` or `code`, where only that can be wrong",
    anywhere: "The sign-in of the admin app.",
  },
  sign_in_incomplete: {
    summary: "The sign-in is not complete.",
    more: "A user who has a second factor gives a code of it: `POST /api/admin/session/factor`. A password that the service drew is changed: `PUT /api/admin/password`. An admin whose tenant asks for a second factor sets one up: `POST /api/admin/factors`.",
    remedy: "Do what `detail` names, then repeat the request.",
    again: "after a change elsewhere",
    detail: "What is missing: `code`, `password` or `factor`",
    anywhere: "Operations of the admin API, which the admin app uses.",
  },
  sign_in_throttled: {
    summary: "Too many sign-ins of this account, or from this address, failed.",
    more: "10 failures in 10 minutes of an account at browsers that are not known, or at one browser that is; 30 from an address. Right passwords are refused too. A browser in which the user signed in before has a count of its own, so that others cannot lock the user out. Codes of the second factor are counted in the same way, apart from passwords; at browsers that are not known 30 wrong ones in a day besides.",
    remedy:
      "Wait until the time in `until`, or have the password reset, or have an administrator run `muster user unlock`.",
    again: "later",
    headers: { "Retry-After": "Whole seconds to wait" },
    anywhere: "The sign-in of the admin app.",
  },
  link_expired: {
    summary: "The link was used, was replaced by a newer one, or has expired.",
    more: "Links work once: for the set-up within an hour, of an invitation within 72 hours, for a new password within 30 minutes.",
    remedy: "Ask for another link.",
    again: "no",
    anywhere: "Links of the admin app.",
  },
  factor_required: {
    summary: "The user has a second factor, and the request has no code of it.",
    remedy: "Send `code`: six digits of the authenticator app, or a recovery code.",
    again: "no",
    detail: "The field that is missing: `code`",
    anywhere: "`POST /api/admin/session/step-up` of the admin API, which the admin app uses.",
  },
  factor_missing: {
    summary: "An admin requires a second factor of all admins, and has none.",
    more: "Admins without one can do nothing but set one up, so the admin who makes the rule sets up the own one first.",
    remedy: "Set up a second factor: `POST /api/admin/factors`.",
    again: "after a change elsewhere",
    anywhere: "`PATCH /api/admin/tenant` of the admin API, which the admin app uses.",
  },
  factor_mandatory: {
    summary: "The tenant requires a second factor of its admins, so an admin cannot turn it off.",
    remedy: "Set up another one, which takes its place, or change the rule of the tenant.",
    again: "after a change elsewhere",
    anywhere: "`DELETE /api/admin/factors/{id}` of the admin API, which the admin app uses.",
  },
  last_admin: {
    summary: "The tenant would have no admin who can sign in.",
    remedy: "Make another user an admin first.",
    again: "after a change elsewhere",
    anywhere: "Changes of users in the admin app.",
  },
  last_operator: {
    summary: "No active user would run the installation.",
    remedy: "Let another admin run it first: `muster user platform <email>` on the machine of the service.",
    again: "after a change elsewhere",
    anywhere: "Changes of users in the admin app.",
  },
  foreign_origin: {
    summary: "The request comes from a page of another origin.",
    more: "The admin API takes requests with `Sec-Fetch-Site: same-origin` or, without that header, with this service's own `Origin`. A write with a cookie needs one of the two.",
    remedy: "Programs use the public API with an API key.",
    again: "no",
    detail: "The header that says so",
    anywhere: "Operations of the admin API, which the admin app uses.",
  },
  insufficient_role: {
    summary: "The user's role does not admit the operation.",
    remedy: "Ask an admin of the tenant to do it, or for another role.",
    again: "no",
    detail: "The least role that the operation needs",
    anywhere: "Operations of the admin API, which the admin app uses.",
  },
  reauthentication_required: {
    summary: "The operation is dangerous, and the user gave password and second factor too long ago.",
    remedy:
      "Give them again with `POST /api/admin/session/step-up`, then repeat the request under the same `Idempotency-Key`.",
    again: "no",
    anywhere: "Dangerous operations of the admin API, which the admin app uses.",
  },
} as const satisfies Record<string, ErrorText>;
