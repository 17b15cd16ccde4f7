import { common } from "#texts/common.ts";
import { withinSentence } from "#texts/language.ts";
import { t } from "#texts/words.ts";
import type { Tone } from "../ui/theme/tones.ts";

type Vocabulary<Value extends string> = Readonly<Record<Value, readonly [tone: Tone, label: string]>>;

export const CONNECTIVITY: Vocabulary<"online" | "offline" | "never_seen"> = {
  online: ["good", t.online],
  offline: ["neutral", t.offline],
  never_seen: ["accent", t.neverSeen],
};

export const CERTIFICATE_STATES: Vocabulary<"none" | "active" | "renewal_due" | "expiring" | "expired" | "revoked"> = {
  none: ["neutral", t.noCertificate],
  active: ["good", t.valid],
  renewal_due: ["accent", t.renewalDue],
  expiring: ["warn", t.expiresSoon],
  expired: ["bad", t.expired],
  revoked: ["bad", common.revoked],
};

/** Returns the choices of a filter by a vocabulary. */
export function choicesOf(vocabulary: Vocabulary<string>): readonly (readonly [value: string, label: string])[] {
  return Object.entries(vocabulary).map(([value, [, label]]) => [value, withinSentence(label)]);
}
