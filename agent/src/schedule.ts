import type { Identity } from "./identity.ts";

const HOUR_MS = 3_600_000;
/** Devices of one batch share `renewAfterUtc`; spreading them over a day keeps the herd from the signer. */
const LONGEST_JITTER_MS = 24 * HOUR_MS;
const JITTER_SHARE = 0.1;
/** How far into its life a certificate whose `renewAfterUtc` is not known gets renewed: day 21 of 30 (spec 2.8). */
const RENEW_SHARE = 0.7;

/** The dates that decide when to renew, milliseconds since the epoch. */
export interface CertificateDates {
  notBefore: number;
  expiresAt: number;
  renewAfter: number;
}

/**
 * The dates of the identity's certificate. The certificate itself is believed before `device.json`: someone may have
 * installed another one by hand (the recovery of spec 7, `cert_invalid`), and then the recorded `renewAfterUtc` is stale.
 */
export function certificateDates(identity: Pick<Identity, "certificate" | "device">): CertificateDates {
  const notBefore = identity.certificate.validFromDate.getTime();
  const expiresAt = identity.certificate.validToDate.getTime();
  const recorded = Date.parse(identity.device.renewAfterUtc);
  const isRecordedOne = wholeSeconds(Date.parse(identity.device.certExpiresAt)) === wholeSeconds(expiresAt);
  const renewAfter =
    isRecordedOne && !Number.isNaN(recorded) ? recorded : notBefore + RENEW_SHARE * (expiresAt - notBefore);
  return { notBefore, expiresAt, renewAfter };
}

const wholeSeconds = (ms: number): number => Math.floor(ms / 1000);

/** The moment to start renewing: `renewAfter` plus jitter of up to a tenth of the time left until expiry, at most a day. */
export function renewalDue(dates: CertificateDates, random: number): number {
  const spread = Math.min(LONGEST_JITTER_MS, JITTER_SHARE * Math.max(0, dates.expiresAt - dates.renewAfter));
  return dates.renewAfter + Math.round(spread * random);
}

/**
 * How long to sleep now towards `due`: never more than an hour at once, so that a corrected wall clock, or a device
 * that slept, is noticed, and no timer is longer than Node can hold.
 */
export function sleepTowards(due: number, now: number): number {
  return Math.max(0, Math.min(due - now, HOUR_MS));
}
