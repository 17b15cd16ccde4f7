import { isNamedAdmin } from "../credential-rule.ts";
import { findRule } from "../credential-rule-store.ts";
import type { IdentityDeps } from "../deps.ts";
import { countRecoveryCodes, findFactor } from "../factors/factor-store.ts";
import type { Session } from "../session.ts";
import { listPasskeyRows, type PasskeyRow } from "./passkey-store.ts";

/** A passkey as its user sees it. */
export interface OwnPasskey {
  id: string;
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** The user's second factors. */
export interface OwnFactors {
  /** The authenticator app, if any. */
  items: { id: string; createdAt: Date }[];
  passkeys: OwnPasskey[];
  recoveryCodesLeft: number;
  /** Whether a rule of the tenant requires a second factor of the user, so that the last one cannot be removed. */
  mandatory: boolean;
}

export async function listFactors({ database }: IdentityDeps, session: Session): Promise<OwnFactors> {
  const { user, factorMandatory } = session;
  const rule = await findRule(database.db, user.id);
  const [factor, passkeys] = [await findFactor(database.db, user.id), await listPasskeyRows(database.db, user.id)];
  return {
    items: factor ? [{ id: factor.id, createdAt: factor.confirmedAt }] : [],
    passkeys: passkeys.map(toOwnPasskey),
    recoveryCodesLeft: await countRecoveryCodes(database.db, user.id),
    mandatory: factorMandatory || (rule !== undefined && isNamedAdmin(rule)),
  };
}

/** Returns a passkey as its user sees it. */
export function toOwnPasskey({ id, name, created_at, last_used_at }: Shown): OwnPasskey {
  return { id, name, createdAt: created_at, lastUsedAt: last_used_at };
}

type Shown = Pick<PasskeyRow, "id" | "name" | "created_at" | "last_used_at">;
