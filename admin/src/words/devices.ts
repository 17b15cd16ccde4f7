import type { Tone } from "../ui/theme/tones.ts";

type Vocabulary<Value extends string> = Readonly<Record<Value, readonly [tone: Tone, label: string]>>;

export const CONNECTIVITY: Vocabulary<"online" | "offline" | "never_seen"> = {
  online: ["good", "Online"],
  offline: ["neutral", "Offline"],
  never_seen: ["accent", "Never seen"],
};

export const CERTIFICATE_STATES: Vocabulary<"none" | "active" | "renewal_due" | "expiring" | "expired" | "revoked"> = {
  none: ["neutral", "No certificate"],
  active: ["good", "Valid"],
  renewal_due: ["accent", "Renewal due"],
  expiring: ["warn", "Expires soon"],
  expired: ["bad", "Expired"],
  revoked: ["bad", "Revoked"],
};

/** Returns the choices of a filter by a vocabulary. */
export function choicesOf(vocabulary: Vocabulary<string>): readonly (readonly [value: string, label: string])[] {
  return Object.entries(vocabulary).map(([value, [, label]]) => [value, label.toLowerCase()]);
}
