import { type Selectable, sql } from "kysely";
import { bytesArray, plainArray } from "../../db/array-literal.ts";
import type { Db, Tx } from "../../db/database.ts";
import type { OidcProvidersTable } from "../../db/schema.generated.ts";

export type ProviderRow = Selectable<OidcProvidersTable>;

/** The role and groups that a value of the mapped claim gives. */
export type MappingRule = ProviderRow["mapping"][number];

/** Returns the name that a client secret is bound to: for another tenant it does not decrypt. */
export function providerOwner(tenantId: string): string {
  return `oidc provider ${tenantId}`;
}

export async function findProvider(db: Db, tenantId: string): Promise<ProviderRow | undefined> {
  return await db.selectFrom("oidc_providers").selectAll().where("tenant_id", "=", tenantId).executeTakeFirst();
}

/** Returns the provider and locks it until the transaction ends, as {@link lockRule} does for sign-ins. */
export async function lockProvider(tx: Tx, tenantId: string): Promise<ProviderRow | undefined> {
  const query = tx.selectFrom("oidc_providers").selectAll().where("tenant_id", "=", tenantId).forNoKeyUpdate();
  return await query.executeTakeFirst();
}

export async function saveProvider(tx: Tx, { tenant_id, mapping, ...columns }: ProviderRow): Promise<void> {
  const set = { ...columns, mapping: sql<MappingRule[]>`${JSON.stringify(mapping)}::jsonb` };
  await tx
    .insertInto("oidc_providers")
    .values({ tenant_id, ...set })
    .onConflict((conflict) => conflict.column("tenant_id").doUpdateSet(set))
    .execute();
}

export async function deleteProvider(tx: Tx, tenantId: string): Promise<void> {
  await tx.deleteFrom("oidc_providers").where("tenant_id", "=", tenantId).execute();
}

/** Switches the provider off. @returns whether it was on */
export async function switchOff(tx: Tx, tenantId: string): Promise<boolean> {
  const off = tx.updateTable("oidc_providers").set({ enabled: false }).where("tenant_id", "=", tenantId);
  return (await off.where("enabled", "=", true).returning("tenant_id").execute()).length === 1;
}

/** Records a passed test. @returns false when the connection has changed meanwhile */
export async function recordTest(tx: Tx, tenantId: string, connectionId: string, now: Date): Promise<boolean> {
  const tested = tx.updateTable("oidc_providers").set({ tested_at: now }).where("tenant_id", "=", tenantId);
  return (await tested.where("connection_id", "=", connectionId).returning("tenant_id").execute()).length === 1;
}

/** A provider that people can sign in at. */
export interface OfferedProvider {
  tenantId: string;
  slug: string;
  tenantName: string;
  rule: ProviderRow["rule"];
}

/** Returns the provider that is on for the tenant with this slug, or for the tenant of this domain. */
export async function findOffered(
  db: Db,
  by: { slug?: string | undefined; domain?: string | undefined },
): Promise<OfferedProvider | undefined> {
  const { rows } = await sql<OfferedProvider>`
    SELECT t.id AS "tenantId", t.slug, t.name AS "tenantName", p.rule
      FROM oidc_providers p JOIN shared_tenants t ON t.id = p.tenant_id
     WHERE p.enabled AND (t.slug = ${by.slug ?? null} OR (${by.slug ?? null}::text IS NULL AND t.id = (
       SELECT d.tenant_id FROM shared_tenant_domains d WHERE d.domain = ${by.domain ?? null})))`.execute(db);
  return rows[0];
}

/** Returns every provider that is on, with the slug of its tenant. */
export async function readEnabled(db: Db): Promise<(ProviderRow & { slug: string })[]> {
  const { rows } = await sql<ProviderRow & { slug: string }>`
    SELECT p.*, t.slug FROM oidc_providers p JOIN shared_tenants t ON t.id = p.tenant_id
     WHERE p.enabled ORDER BY t.slug`.execute(db);
  return rows;
}

/** Re-encrypts every client secret after the master key rotation in `tx`. */
export async function encryptProvidersAgain(tx: Tx, reseal: (sealed: Buffer, owner: string) => Buffer): Promise<void> {
  const columns = ["tenant_id", "client_secret"] as const;
  const rows = await tx.selectFrom("oidc_providers").select(columns).orderBy("tenant_id").forNoKeyUpdate().execute();
  const ids = plainArray(rows.map(({ tenant_id }) => tenant_id));
  const secrets = bytesArray(rows.map((row) => reseal(row.client_secret, providerOwner(row.tenant_id))));
  await sql`
    UPDATE oidc_providers p SET client_secret = n.secret
      FROM unnest(${ids}::text::uuid[], ${secrets}::text::bytea[]) AS n (id, secret) WHERE p.tenant_id = n.id`.execute(
    tx,
  );
}
