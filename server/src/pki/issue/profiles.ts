import { addMs, DAY, MINUTE, SECOND } from "../../lib/clock.ts";

/** A kind of leaf: how long it is valid, and when its device should renew it. */
export interface LeafProfile {
  readonly name: "selfEnrolled" | "platform";
  readonly validMs: number;
  /** After how long renewal should start; absent where nothing renews automatically (spec 2.8). */
  readonly renewAfterMs: number | undefined;
}

export const selfEnrolled: LeafProfile = { name: "selfEnrolled", validMs: 30 * DAY, renewAfterMs: 21 * DAY };
export const platform: LeafProfile = { name: "platform", validMs: 365 * DAY, renewAfterMs: undefined };

/** For device clocks that are behind. */
const BACKDATE = 5 * MINUTE;

export interface LeafValidity {
  /** The time of issue, truncated to the second like all times of a certificate; the others are relative to it. */
  readonly issuedAt: Date;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly renewAfter: Date | undefined;
}

/** The times of a leaf issued at `now`: `notAfter` is exactly the profile's validity after the issue second (spec 2.8). */
export function leafValidity(profile: LeafProfile, now: Date): LeafValidity {
  const issuedAt = wholeSecond(now);
  return {
    issuedAt,
    notBefore: addMs(issuedAt, -BACKDATE),
    notAfter: addMs(issuedAt, profile.validMs),
    renewAfter: profile.renewAfterMs === undefined ? undefined : addMs(issuedAt, profile.renewAfterMs),
  };
}

/** `at` without its fraction of a second. */
export function wholeSecond(at: Date): Date {
  return addMs(at, -(at.getTime() % SECOND));
}
