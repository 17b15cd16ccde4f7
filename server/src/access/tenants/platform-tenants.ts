import { recordAct } from "../../audit/audit.ts";
import type { Page, PageRequest } from "../../lib/page.ts";
import { plainLine } from "../../lib/text.ts";
import { adminUseCase, type PreparedChange } from "../admin-use-case.ts";
import type { AccessDeps } from "../deps.ts";
import { hashPassword, makePassword } from "../password.ts";
import { useCase } from "../use-case.ts";
import { addUser, checkEmail } from "../users/add-user.ts";
import { checkSlug } from "./manage-tenants.ts";
import { insertTenant, listTenantRows } from "./tenant-store.ts";

/** A tenant without its data, as seen by the users who run the installation. */
export interface TenantSummary {
  id: string;
  slug: string;
  name: string;
  createdAt: Date;
}

/** Lists the tenants of the installation, newest first. */
export const listTenants = useCase(
  { role: "platform" },
  (deps: AccessDeps, _caller, page: PageRequest): Promise<Page<TenantSummary>> => listAllTenants(deps, page),
);

/** Lists the tenants for a command of the machine's shell, which belongs to no tenant. */
export async function listAllTenants(
  { database: { db } }: AccessDeps,
  page: PageRequest,
): Promise<Page<TenantSummary>> {
  const { rows, total } = await listTenantRows(db, page);
  return { items: rows.map(({ created_at: createdAt, ...row }) => ({ ...row, createdAt })), total, ...page };
}

export interface NewTenant {
  slug: string;
  name: string;
  /** The e-mail address of its first admin. */
  adminEmail: string;
}

/** A new tenant with its first admin, whose password only this response shows. */
export interface CreatedTenant extends TenantSummary {
  admin: { id: string; email: string; password: string };
}

/**
 * Adds a tenant with its first admin. The slug is a topic segment and never changes. The act is recorded in the audits
 * of both tenants, the caller's and the new one.
 *
 * @throws MusterError invalid_request; already_exists (slug, email)
 */
export const addTenant = adminUseCase(
  { role: "platform" },
  "tenant.create",
  async (deps: AccessDeps, { actor, address }, input: NewTenant): Promise<PreparedChange<CreatedTenant>> => {
    const { ids, clock } = deps;
    const now = clock.now();
    const slug = checkSlug(input.slug);
    const name = plainLine("name", input.name);
    const email = checkEmail(input.adminEmail);
    const password = makePassword(ids);
    const passwordHash = await hashPassword(password, ids);
    const id = ids.uuid(now);
    return {
      change: async (tx) => {
        await insertTenant(tx, { id, slug, name, created_at: now });
        const adminId = await addUser(deps, tx, { tenantId: id, email, role: "admin", passwordHash, drawn: true });
        const by = { tenantId: id, actor, address };
        const after = { slug, name, admin: email };
        await recordAct(tx, by, { act: "tenant.create", target: id, after }, { ids, now });
        const result = { id, slug, name, createdAt: now, admin: { id: adminId, email, password } };
        return { target: id, after, result };
      },
    };
  },
);
