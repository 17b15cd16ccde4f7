import { type AdministerDeps, administer } from "../../audit/audit.ts";
import type { Db, Tx } from "../../db/database.ts";
import { invalidRequest, notFound } from "../../lib/request-errors.ts";
import { plainLine } from "../../lib/text.ts";
import { adminUseCase, type PreparedChange } from "../admin-use-case.ts";
import type { Caller } from "../caller.ts";
import type { AccessDeps } from "../deps.ts";
import { findTenant, insertTenant, setRetention, type TenantRow } from "./tenant-store.ts";

const SLUG = /^[a-z0-9-]{1,40}$/;

/**
 * Adds a tenant. The slug is a topic segment and never changes.
 *
 * @throws MusterError invalid_request, already_exists
 */
export async function createTenant(deps: AccessDeps, input: { slug: string; name: string }): Promise<TenantRow> {
  return await createTenantIn(deps.database.db, deps, input);
}

/** Adds a tenant within the transaction `db`; see {@link createTenant}. */
export async function createTenantIn(
  db: Db,
  deps: AdministerDeps,
  input: { slug: string; name: string },
): Promise<TenantRow> {
  const now = deps.clock.now();
  const tenant = { id: deps.ids.uuid(now), slug: checkSlug(input.slug), name: plainLine("name", input.name) };
  const { id, slug, name } = tenant;
  const create = async (tx: Tx) => {
    await insertTenant(tx, { ...tenant, created_at: now });
    return { target: id, after: { slug, name }, result: tenant };
  };
  return await administer(deps, { tenantId: id, actor: "system" }, "tenant.create", create, db);
}

/** @throws MusterError invalid_request */
export function checkSlug(slug: string): string {
  if (SLUG.test(slug)) return slug;
  throw invalidRequest(
    "The slug must be 1 to 40 characters of a-z, 0-9 and dash; it names the tenant in topics.",
    slug,
  );
}

/** The retentions in days; the database has partitions for these only (`0001-baseline/tables/telemetry.ts`). */
export const TELEMETRY_RETENTIONS = [7, 30, 90, 180, 365, 730];

/** @throws MusterError invalid_request */
export function checkRetention(days: number): void {
  if (!TELEMETRY_RETENTIONS.includes(days))
    throw invalidRequest(`The retention must be one of ${TELEMETRY_RETENTIONS.join(", ")} days.`, String(days));
}

/**
 * Sets the retention for telemetry that the tenant receives from now on.
 *
 * @throws MusterError invalid_request
 */
export const setTelemetryRetention = adminUseCase(
  { role: "admin" },
  "tenant.set-retention",
  async (_deps: AccessDeps, { tenantId }, days: number): Promise<PreparedChange<void>> => {
    checkRetention(days);
    return {
      change: async (tx) => {
        const before = { retentionDays: await setRetention(tx, tenantId, days) };
        return { target: tenantId, before, after: { retentionDays: days }, result: undefined };
      },
    };
  },
);

/** Returns the caller for a command of the machine's shell. @throws MusterError not_found with the slug in `detail` */
export async function systemCaller(deps: AccessDeps, slug: string): Promise<Caller> {
  const tenant = await findTenant(deps.database.db, slug);
  if (!tenant) throw notFound("tenant", slug);
  return { tenantId: tenant.id, tenantSlug: tenant.slug, actor: "system", rights: { kind: "system" } };
}
