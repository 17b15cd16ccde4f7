import { z } from "zod";
import { type Caller, dangerousScopesOf, ROLES } from "../../access/access.ts";
import type { Facades } from "../facades.ts";
import { page, type Subcommand, subcommand, tenantSubcommand, text } from "../subcommand.ts";

/** The maximum number of API keys in one answer. */
const MAX_KEYS = 100_000;

/** The maximum number of audit entries in one answer. */
const MAX_WRITES = 10_000;

const auditPage = { skip: z.int().min(0), limit: z.int().min(1).max(MAX_WRITES) };

/** The commands for tenants, users, API keys and the audits. */
export const accessSubcommands: readonly Subcommand[] = [
  subcommand("tenant.create", { slug: text, name: text }, ({ access }, input) => access.createTenant(input)),
  subcommand("tenant.list", page, ({ access }, wanted) => access.listAllTenants(wanted)),
  subcommand("tenant.set-retention", { slug: text, days: z.number() }, async ({ access }, input) => {
    await access.setTelemetryRetention(await access.systemCaller(input.slug), input.days);
    return input;
  }),
  subcommand("tenant.usage", { slug: text }, async ({ access }, { slug }) => ({
    slug,
    items: await access.tenantUsage(await access.systemCaller(slug)),
  })),
  subcommand("tenant.quota", { slug: text, quota: text, value: z.number().optional() }, async ({ access }, input) => ({
    slug: input.slug,
    ...(await access.setQuota(await access.systemCaller(input.slug), input.quota, input.value)),
  })),

  tenantSubcommand("tenant.domain.add", { domain: text }, ({ access }, caller, { domain }) =>
    access.addTenantDomain(caller, domain),
  ),
  tenantSubcommand("tenant.domain.remove", { domain: text }, async ({ access }, caller, { domain }) => {
    await access.removeTenantDomain(caller, domain);
    return { domain };
  }),
  tenantSubcommand("tenant.domain.list", {}, async ({ access }, caller) => ({
    items: await access.listTenantDomains(caller),
  })),

  tenantSubcommand("tenant.sso-off", {}, async ({ identity }, caller) => {
    await identity.switchSingleSignOnOff(caller);
    return { tenant: caller.tenantSlug };
  }),
  subcommand("user.sso-reset", { email: text }, async (facades, { email }) => {
    const caller = await callerForUser(facades, email);
    const [id] = await facades.access.userIdsByEmail(caller, [email]);
    return { email, ...(await facades.identity.resetProviderLink(caller, id!)) };
  }),

  tenantSubcommand("user.create", { email: text, role: z.enum(ROLES) }, ({ access }, caller, input) =>
    access.createUser(caller, input),
  ),
  tenantSubcommand("user.list", {}, async ({ access }, caller) => ({ items: await access.listUsers(caller) })),
  userSubcommand("user.deactivate", ({ access }, caller, email) => access.deactivateUser(caller, email)),
  userSubcommand("user.reactivate", ({ access }, caller, email) => access.reactivateUser(caller, email)),
  userSubcommand("user.delete", ({ access }, caller, email) => access.deleteUser(caller, email)),
  userSubcommand("user.unlock", ({ identity }, caller, email) => identity.unlockUser(caller, email)),
  subcommand("user.reset-factor", { email: text }, async (facades, { email }) => {
    const caller = await callerForUser(facades, email);
    const [id] = await facades.access.userIdsByEmail(caller, [email]);
    return { email, ...(await facades.identity.resetFactor(caller, id!)) };
  }),
  subcommand("user.platform", { email: text, platform: z.boolean() }, async (facades, { email, platform }) => {
    await facades.access.setPlatformUser(await callerForUser(facades, email), email, platform);
    return { email, platform };
  }),
  subcommand("setup-link", {}, ({ identity }) => identity.makeSetUpLink()),
  subcommand("user.reset-password", { email: text }, async (facades, { email }) => ({
    email,
    ...(await facades.access.replacePassword(await callerForUser(facades, email), email)),
  })),

  tenantSubcommand(
    "key.create",
    {
      user: text.optional(),
      serviceAccount: text.optional(),
      name: text,
      scopes: z.array(text),
      expiresInDays: z.number().optional(),
    },
    async ({ access }, caller, input) => ({
      ...(await access.createKey(caller, input)),
      dangerousScopes: dangerousScopesOf(input.scopes),
    }),
  ),
  subcommand("key.revoke", { id: text }, async ({ access }, { id }) => {
    await access.revokeKey(await access.systemCaller(await access.tenantOfKey(id)), id);
    return { id };
  }),
  subcommand("key.rotate", { id: text, overlapHours: z.number().optional() }, async ({ access }, { id, ...overlap }) =>
    access.rotateKey(await access.systemCaller(await access.tenantOfKey(id)), id, overlap),
  ),
  tenantSubcommand("key.list", {}, async ({ access }, caller) => ({
    items: (await access.listKeys(caller, { skip: 0, limit: MAX_KEYS })).items.map(
      ({ userId: _userId, endedBy: _endedBy, ...key }) => key,
    ),
  })),
  tenantSubcommand("api-audit", { limit: z.int().min(1).max(MAX_WRITES) }, async ({ access }, caller, { limit }) => ({
    items: (await access.listApiWrites(caller, { skip: 0, limit })).items,
  })),
  subcommand("admin-audit", { tenant: text.optional(), ...auditPage }, async ({ access }, { tenant, skip, limit }) => ({
    items:
      tenant === undefined
        ? await access.listInstallationActs({ skip, limit })
        : (await access.listAdminActs(await access.systemCaller(tenant), { skip, limit })).items,
  })),
];

/** Declares a command that changes one user, named by e-mail address only. It answers with that address. */
function userSubcommand(
  name: string,
  change: (facades: Facades, caller: Caller, email: string) => Promise<void>,
): Subcommand {
  return subcommand(name, { email: text }, async (facades, { email }) => {
    await change(facades, await callerForUser(facades, email), email);
    return { email };
  });
}

async function callerForUser({ access }: Facades, email: string): Promise<Caller> {
  return await access.systemCaller(await access.tenantOfUser(email));
}
