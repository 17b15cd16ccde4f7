import { addMs, DAY, MINUTE, SECOND } from "../../lib/clock.ts";

/** A kind of leaf: its validity, and when its device should renew it. */
export interface LeafProfile {
  readonly name: "selfEnrolled" | "platform";
  readonly validMs: number;
  /** The time after which renewal should start; absent if nothing renews automatically (spec 2.8). */
  readonly renewAfterMs: number | undefined;
}

export const selfEnrolled: LeafProfile = { name: "selfEnrolled", validMs: 30 * DAY, renewAfterMs: 21 * DAY };
export const platform: LeafProfile = { name: "platform", validMs: 365 * DAY, renewAfterMs: undefined };

/** The backdating of leaves, for device clocks that are behind. */
const BACKDATE = 5 * MINUTE;

export interface LeafValidity {
  /** The time of issue, truncated to the second like all times of a certificate; the others are relative to it. */
  readonly issuedAt: Date;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly renewAfter: Date | undefined;
}

/**
 * Returns the times of a leaf issued at `now`: `notAfter` is exactly the profile's validity after the second of issue
 * (spec 2.8).
 */
export function leafValidity(profile: LeafProfile, now: Date): LeafValidity {
  const issuedAt = wholeSecond(now);
  return {
    issuedAt,
    notBefore: addMs(issuedAt, -BACKDATE),
    notAfter: addMs(issuedAt, profile.validMs),
    renewAfter: profile.renewAfterMs === undefined ? undefined : addMs(issuedAt, profile.renewAfterMs),
  };
}

/** Returns `at` without its fraction of a second. */
export function wholeSecond(at: Date): Date {
  return addMs(at, -(at.getTime() % SECOND));
}
