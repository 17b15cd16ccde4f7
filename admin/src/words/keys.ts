import { common } from "#texts/common.ts";
import { t } from "#texts/words.ts";
import type { ApiKey } from "../api/keys.ts";
import type { Tone } from "../ui/theme/tones.ts";

const REASONS: Readonly<Record<NonNullable<ApiKey["revocationReason"]>, string>> = {
  requested: t.itWasRevoked,
  creator_deactivated: t.itsOwnerWasDeactivated,
  creator_deleted: t.itsOwnerWasDeleted,
  creator_password_reset: t.thePasswordOfItsOwner,
};

/** Returns how many scopes of a key have an effect with the role of its owner. */
export function effectOfScopes({
  scopes,
  ineffectiveScopes,
}: Pick<ApiKey, "scopes" | "ineffectiveScopes">): "all" | "some" | "none" {
  if (ineffectiveScopes.length === 0) return "all";
  return ineffectiveScopes.length === new Set(scopes.flatMap(expanded)).size ? "none" : "some";
}

function expanded(scope: string): string[] {
  return scope.endsWith(":*") ? [scope.replace("*", "read"), scope.replace("*", "write")] : [scope];
}

export function stateOfKey(key: ApiKey, now: number): readonly [tone: Tone, label: string] {
  if (key.revokedAt !== null) return ["bad", common.revoked];
  if (key.expiresAt !== null && Date.parse(key.expiresAt) <= now) return ["bad", t.expired];
  if (key.replacedBy !== null) return ["warn", t.replaced];
  if (key.ownerRole === "admin" || (key.ownerKind === "service" && key.ineffectiveScopes.length === 0))
    return ["good", t.active];
  return effectOfScopes(key) === "none" ? ["bad", t.withoutEffect] : ["warn", t.limited];
}

/** Returns why a key is refused, as the end of a sentence; undefined for a valid key. */
export function endOfKey(key: ApiKey, now: number): string | undefined {
  if (key.revokedAt !== null) return REASONS[key.revocationReason ?? "requested"];
  return key.expiresAt !== null && Date.parse(key.expiresAt) <= now ? t.itExpired : undefined;
}
