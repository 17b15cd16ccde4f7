import { type Limit, limitTable } from "./limit.ts";

const LATER = "429 rate_limited with Retry-After";

function linkLives(purpose: string, minutes: number): Limit {
  const of = `minutes that the link for ${purpose} can be used, once`;
  return { level: "record", of, value: minutes, reached: "410 link_expired", fixed: true };
}

/** The cost of signing in and of admin app sessions, and their lifetimes. */
export const people = limitTable({
  sessionIdleMinutes: {
    level: "session",
    of: "minutes without a request made by the user of the admin app",
    value: 8 * 60,
    reached: "the session has ended: 401 session_required",
  },
  sessionMinutes: {
    level: "session",
    of: "minutes from sign-in to the end of an admin app session",
    value: 24 * 60,
    reached: "the session has ended: 401 session_required",
  },
  stepUpMinutes: {
    level: "session",
    of: "minutes for which entering password and second factor permits dangerous operations",
    value: 10,
    reached: "403 reauthentication_required",
    fixed: true,
  },
  devicesCommanded: {
    level: "session",
    of: "different devices that can be sent commands in a session before password and second factor must be entered again",
    value: 5,
    reached: "403 reauthentication_required",
    fixed: true,
  },
  sessionRequestsPerMinute: {
    level: "session",
    of: "requests in any 60 seconds of a session of the admin app, across all processes, which exchange their counts every second",
    value: 600,
    reached: LATER,
  },
  signInRequestsPerMinute: {
    level: "address",
    of: "requests in any 60 seconds from one address block to operations of the admin app without a session, across all processes, which exchange their counts every second",
    value: 120,
    reached: LATER,
  },
  domainsOfTenant: {
    level: "tenant",
    of: "domains of e-mail addresses for single sign-on",
    value: 100,
    reached: "400 invalid_request, naming the limit",
    fixed: true,
  },
  scimRequestsPerMinute: {
    level: "tenant",
    of: "requests in any 60 seconds of the tenant's identity provider by SCIM, across all processes, which exchange their counts every second",
    value: 600,
    reached: LATER,
  },
  scimGuessesPerMinute: {
    level: "address",
    of: "requests in any 60 seconds with a wrong provisioning token from one address block",
    value: 30,
    reached: LATER,
  },
  sessionsOfUser: {
    level: "record",
    of: "concurrent sessions of a user",
    value: 20,
    reached: "the oldest ends",
    fixed: true,
  },
  factorMinutes: {
    level: "session",
    of: "minutes in which the second factor must follow the password",
    value: 10,
    reached: "the sign-in starts over: 401 session_required",
    fixed: true,
  },
  factorSetUpMinutes: {
    level: "record",
    of: "minutes in which a new second factor must be confirmed",
    value: 30,
    reached: "404 not_found: the set-up starts over",
    fixed: true,
  },
  recoveryCodes: {
    level: "record",
    of: "single-use recovery codes of a user",
    value: 10,
    reached: "the user generates new ones",
    fixed: true,
  },
  failuresOfAccount: {
    level: "record",
    of: "wrong passwords, and wrong codes, for an account in 10 minutes: from all unknown browsers together, and from each known browser",
    value: 10,
    reached: "429 sign_in_throttled, with the time at which it ends",
    fixed: true,
  },
  wrongCodesOfDay: {
    level: "record",
    of: "wrong second-factor codes of a user in 24 hours, after a correct password; known browsers are exempt",
    value: 30,
    reached: "429 sign_in_throttled, with the time at which it ends",
    fixed: true,
  },
  failuresOfAddress: {
    level: "address",
    of: "failed sign-ins in 10 minutes from one address block; known browsers are exempt",
    value: 30,
    reached: "429 sign_in_throttled, with the time at which it ends",
    fixed: true,
  },
  signInRepeatMinutes: {
    level: "record",
    of: "minutes for which the audit counts failed sign-ins of one account, address block and cause after the first entry",
    value: 60,
    reached: "the audit gets one entry with their number",
    fixed: true,
  },
  signInRepeatsOfTenant: {
    level: "tenant",
    of: "different failed sign-ins (by account, address block and cause) of which the audit counts repeats at a time",
    value: 200,
    reached: "further ones share one entry",
    fixed: true,
  },
  keyAddressesPerDay: {
    level: "record",
    of: "new address blocks of an API key that the audit records in 24 hours",
    value: 20,
    reached: "the last entry says that further ones are omitted",
    fixed: true,
  },
  keyAddressDays: {
    level: "record",
    of: "days without a use after which an address block of an API key counts as new again",
    value: 90,
    reached: "the next use is recorded",
    fixed: true,
  },
  resetMailsOfAccount: {
    level: "record",
    of: "password reset links mailed to an account in one hour",
    value: 3,
    reached: "no further link is mailed; the answer is the same",
    fixed: true,
  },
  resetMailsToMailbox: {
    level: "address",
    of: "password reset links mailed to a mailbox in one hour, for all accounts with its address in any spelling or with a tag (`ada+a@…`)",
    value: 6,
    reached: "no further link is mailed; an admin who creates one gets `mailed: false` and must pass it on",
    fixed: true,
  },
  setupLinkMinutes: linkLives("the set-up of the service", 60),
  inviteMinutes: linkLives("an invitation", 72 * 60),
  resetLinkMinutes: linkLives("resetting a password", 30),
  invitesOfTenant: {
    level: "tenant",
    of: "open invitations",
    value: 500,
    reached: "400 invalid_request, naming the limit",
    fixed: true,
  },
  invitesToMailbox: {
    level: "address",
    of: "invitations to one mailbox in 24 hours from all tenants, in any spelling of its address or with a tag (`ada+a@…`)",
    value: 12,
    reached: "429 rate_limited with Retry-After",
  },
  invitesOfTenantPerDay: {
    level: "tenant",
    of: "invitations that a tenant sends in 24 hours, including withdrawn ones",
    value: 1_000,
    reached: LATER,
  },
  passwordHashes: {
    level: "process",
    of: "passwords hashed at once, because the broker shares the processor",
    value: 2,
    reached: "further ones wait",
    fixed: true,
  },
  waitingPasswordHashes: {
    level: "process",
    of: "passwords waiting to be hashed",
    value: 20,
    reached: LATER,
    fixed: true,
  },
});
