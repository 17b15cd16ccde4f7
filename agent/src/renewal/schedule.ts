import type { Identity } from "../state/identity.ts";

const HOUR_MS = 3_600_000;
/**
 * Devices that were enrolled together have the same `renewAfterUtc`; jitter of up to a day spreads the load of the
 * signer.
 */
const LONGEST_JITTER_MS = 24 * HOUR_MS;
const JITTER_SHARE = 0.1;
/**
 * The fraction of its validity after which a certificate without a known `renewAfterUtc` is renewed: day 21 of 30 (spec
 * 2.8).
 */
const RENEW_SHARE = 0.7;

/** The dates that decide when to renew, in milliseconds since the epoch. */
export interface CertificateDates {
  notBefore: number;
  expiresAt: number;
  renewAfter: number;
}

/**
 * Returns the dates of the identity's certificate. The certificate takes precedence over `device.json`: if another
 * certificate was installed by hand (the recovery of spec 7, `cert_invalid`), the recorded `renewAfterUtc` belongs to
 * the previous one.
 */
export function certificateDates(identity: Pick<Identity, "certificate" | "device">): CertificateDates {
  const notBefore = Date.parse(identity.certificate.validFrom);
  // Node 20 has these dates as texts only.
  const expiresAt = Date.parse(identity.certificate.validTo);
  const recorded = Date.parse(identity.device.renewAfterUtc);
  const isRecordedOne = wholeSeconds(Date.parse(identity.device.certExpiresAt)) === wholeSeconds(expiresAt);
  const renewAfter =
    isRecordedOne && !Number.isNaN(recorded) ? recorded : notBefore + RENEW_SHARE * (expiresAt - notBefore);
  return { notBefore, expiresAt, renewAfter };
}

const wholeSeconds = (ms: number): number => Math.floor(ms / 1000);

/**
 * Returns the time to start renewing: `renewAfter` plus jitter of up to a tenth of the time left until expiry, at most
 * a day.
 */
export function renewalDue(dates: CertificateDates, random: number): number {
  const spread = Math.min(LONGEST_JITTER_MS, JITTER_SHARE * Math.max(0, dates.expiresAt - dates.renewAfter));
  return dates.renewAfter + Math.round(spread * random);
}

/**
 * Returns how long to sleep before checking `due` again: at most an hour, so that a changed clock or a suspended device
 * is noticed, and no timer exceeds Node's limit.
 */
export function sleepTowards(due: number, now: number): number {
  return Math.max(0, Math.min(due - now, HOUR_MS));
}
