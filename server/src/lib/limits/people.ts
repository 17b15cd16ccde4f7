import { type Limit, limitTable } from "./limit.ts";

const LATER = "429 rate_limited with Retry-After";

function linkLives(purpose: string, minutes: number): Limit {
  const of = `minutes that the link for ${purpose} can be used, once`;
  return { level: "record", of, value: minutes, reached: "410 link_expired", fixed: true };
}

/** What signing in and sessions of the admin app may cost, and how long they last. */
export const people = limitTable({
  sessionIdleMinutes: {
    level: "session",
    of: "minutes without a request that a user of the admin app made",
    value: 8 * 60,
    reached: "the session has ended: 401 session_required",
  },
  sessionMinutes: {
    level: "session",
    of: "minutes of a session of the admin app from the sign-in",
    value: 24 * 60,
    reached: "the session has ended: 401 session_required",
  },
  stepUpMinutes: {
    level: "session",
    of: "minutes for which password and second factor admit dangerous operations",
    value: 10,
    reached: "403 reauthentication_required",
    fixed: true,
  },
  devicesCommanded: {
    level: "session",
    of: "different devices that get commands in a session before password and second factor must be given again",
    value: 5,
    reached: "403 reauthentication_required",
    fixed: true,
  },
  sessionRequestsPerMinute: {
    level: "session",
    of: "requests in any 60 seconds of a session of the admin app; over all processes, which exchange their counts every second",
    value: 600,
    reached: LATER,
  },
  signInRequestsPerMinute: {
    level: "address",
    of: "requests in any 60 seconds from one address block to operations of the admin app without a session; over all processes, which exchange their counts every second",
    value: 120,
    reached: LATER,
  },
  sessionsOfUser: {
    level: "record",
    of: "sessions of a user",
    value: 20,
    reached: "the oldest ends",
    fixed: true,
  },
  factorMinutes: {
    level: "session",
    of: "minutes in which a sign-in is completed with the second factor, after the password",
    value: 10,
    reached: "the sign-in begins again: 401 session_required",
    fixed: true,
  },
  factorSetUpMinutes: {
    level: "record",
    of: "minutes in which a second factor that is being set up is confirmed",
    value: 30,
    reached: "404 not_found: the set-up begins again",
    fixed: true,
  },
  recoveryCodes: {
    level: "record",
    of: "recovery codes of a user, each for one use",
    value: 10,
    reached: "the user makes new ones",
    fixed: true,
  },
  failuresOfAccount: {
    level: "record",
    of: "wrong passwords, and wrong codes, of an account in 10 minutes: of all browsers that are not known, and of each known browser",
    value: 10,
    reached: "429 sign_in_throttled, which says until when",
    fixed: true,
  },
  wrongCodesOfDay: {
    level: "record",
    of: "wrong codes of a user's second factor in 24 hours, after a right password; known browsers are exempt",
    value: 30,
    reached: "429 sign_in_throttled, which says until when",
    fixed: true,
  },
  failuresOfAddress: {
    level: "address",
    of: "failed sign-ins in 10 minutes from one address block; known browsers are exempt",
    value: 30,
    reached: "429 sign_in_throttled, which says until when",
    fixed: true,
  },
  resetMailsOfAccount: {
    level: "record",
    of: "links to reset a password that an account is mailed in an hour",
    value: 3,
    reached: "no further one is mailed; the answer is the same",
    fixed: true,
  },
  resetMailsToMailbox: {
    level: "address",
    of: "links to reset a password that a mailbox is mailed in an hour, for all accounts with its address in any spelling or with a tag (`ada+a@…`)",
    value: 6,
    reached:
      "no further one is mailed; the answer to an admin who makes a link has `mailed: false`, so that it is handed over",
    fixed: true,
  },
  setupLinkMinutes: linkLives("the set-up of the service", 60),
  inviteMinutes: linkLives("an invitation", 72 * 60),
  resetLinkMinutes: linkLives("resetting a password", 30),
  invitesOfTenant: {
    level: "tenant",
    of: "invitations that are open",
    value: 500,
    reached: "400 invalid_request, naming the limit",
    fixed: true,
  },
  invitesToMailbox: {
    level: "address",
    of: "invitations of one mailbox in 24 hours, by all tenants, in any spelling of its address or with a tag (`ada+a@…`)",
    value: 12,
    reached: "429 rate_limited with Retry-After",
  },
  invitesOfTenantPerDay: {
    level: "tenant",
    of: "invitations that a tenant sends in 24 hours, withdrawn ones included",
    value: 1_000,
    reached: LATER,
  },
  passwordHashes: {
    level: "process",
    of: "passwords that are hashed at once, since the broker shares the processor",
    value: 2,
    reached: "further ones wait",
    fixed: true,
  },
  waitingPasswordHashes: {
    level: "process",
    of: "passwords that wait to be hashed",
    value: 20,
    reached: LATER,
    fixed: true,
  },
});
