import { sql } from "kysely";
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

/** Returns the rule for the user's credentials if the tenant's provider is on, and locks it against changes. */
export async function findRule(tx: Tx, userId: string): Promise<CredentialRule | undefined> {
  const { rows } = await sql<CredentialRule>`
    SELECT p.rule, u.id = ANY (p.break_glass) AS "isNamed", u.role = 'admin' AS "isAdmin",
           EXISTS (SELECT FROM shared_user_factors f WHERE f.user_id = u.id) AS "hasFactor"
      FROM shared_users u JOIN oidc_providers p ON p.tenant_id = u.tenant_id
     WHERE u.id = ${userId} AND p.enabled FOR SHARE OF p`.execute(tx);
  return rows[0];
}
