import { invalidRequest, notFound } from "../lib/request-errors.ts";
import { plainLine } from "../lib/text.ts";
import type { Caller } from "./caller.ts";
import type { AccessDeps } from "./deps.ts";
import { findTenant, insertTenant, setRetention, type TenantRow } from "./tenant-store.ts";

const SLUG = /^[a-z0-9-]{1,40}$/;

/**
 * Adds a tenant. The slug is a topic segment and never changes.
 *
 * @throws MusterError invalid_request, already_exists
 */
export async function createTenant(deps: AccessDeps, input: { slug: string; name: string }): Promise<TenantRow> {
  if (!SLUG.test(input.slug))
    throw invalidRequest("the slug must be 1 to 40 of a-z, 0-9 and dash; it names the tenant in topics", input.slug);
  const now = deps.clock.now();
  const tenant = { id: deps.ids.uuid(now), slug: input.slug, name: plainLine("name", input.name) };
  await insertTenant(deps.database.db, { ...tenant, created_at: now });
  return tenant;
}

/** For how many days telemetry can be kept; the database has partitions for no others (migration 0008). */
const TELEMETRY_RETENTIONS = [7, 30, 90, 180, 365, 730];

/**
 * Says how long a tenant keeps the telemetry that arrives from now on.
 *
 * @throws MusterError invalid_request, not_found
 */
export async function setTelemetryRetention(deps: AccessDeps, slug: string, days: number): Promise<void> {
  if (!TELEMETRY_RETENTIONS.includes(days))
    throw invalidRequest(`telemetry is kept for ${TELEMETRY_RETENTIONS.join(", ")} days`, String(days));
  if (!(await setRetention(deps.database.db, slug, days))) throw notFound("tenant");
}

/** The caller for a command at the machine's own shell. @throws MusterError not_found */
export async function systemCaller(deps: AccessDeps, slug: string): Promise<Caller> {
  const tenant = await findTenant(deps.database.db, slug);
  if (!tenant) throw notFound("tenant");
  return { tenantId: tenant.id, tenantSlug: tenant.slug, actor: "system", rights: { kind: "system" } };
}
