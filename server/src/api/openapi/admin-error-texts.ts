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
    summary: "The email address or the password is wrong, or the user is deactivated.",
    remedy: "Try again, or have the password reset.",
    again: "no",
    anywhere: "The sign-in of the admin app.",
  },
  sign_in_incomplete: {
    summary: "The sign-in is not complete.",
    more: "A password that the service drew is changed first of all: `PUT /api/admin/password`.",
    remedy: "Do what `detail` names, then repeat the request.",
    again: "after a change elsewhere",
    detail: "What is missing: `password`",
    anywhere: "Operations of the admin API, which the admin app uses.",
  },
  sign_in_throttled: {
    summary: "Too many sign-ins of this account, or from this address, failed.",
    more: "10 failures in 10 minutes of an account at browsers that are not known, or at one browser that is; 30 from an address. Right passwords are refused too. A browser in which the user signed in before has a count of its own, so that others cannot lock the user out.",
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
  last_admin: {
    summary: "The tenant would have no admin who can sign in.",
    remedy: "Make another user an admin first.",
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
