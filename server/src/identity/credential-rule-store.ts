import { type RawBuilder, sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";
import type { OidcProvidersTable } from "../db/schema.generated.ts";

/** Returns whether the provider of a tenant is on. */
export async function hasProviderOn(db: Db): Promise<boolean> {
  const found = db.selectFrom("oidc_providers").select("tenant_id").where("enabled", "=", true).limit(1);
  return (await found.executeTakeFirst()) !== undefined;
}

/** The rule for credentials of Muster that holds for a user. */
export interface CredentialRule {
  rule: OidcProvidersTable["rule"];
  isNamed: boolean;
  hasFactor: boolean;
  isAdmin: boolean;
}

/** Returns the rule for the user's credentials if the tenant's provider is on. */
export async function findRule(db: Db, userId: string): Promise<CredentialRule | undefined> {
  return await readRule(db, userId, sql``);
}

/**
 * Returns the same rule, locked against changes. A provider that is off is locked, too, so that nobody switches it on
 * meanwhile.
 */
export async function lockRule(tx: Tx, userId: string): Promise<CredentialRule | undefined> {
  return await readRule(tx, userId, sql`FOR SHARE OF p`);
}

async function readRule(db: Db, userId: string, lock: RawBuilder<unknown>): Promise<CredentialRule | undefined> {
  const { rows } = await sql<CredentialRule & { enabled: boolean }>`
    SELECT p.enabled, p.rule, u.id = ANY (p.break_glass) AS "isNamed", u.role = 'admin' AS "isAdmin",
           EXISTS (SELECT FROM shared_user_factors f WHERE f.user_id = u.id) AS "hasFactor"
      FROM shared_users u JOIN oidc_providers p ON p.tenant_id = u.tenant_id
     WHERE u.id = ${userId} ${lock}`.execute(db);
  return rows[0]?.enabled ? rows[0] : undefined;
}
