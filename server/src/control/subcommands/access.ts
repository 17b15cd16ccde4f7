import { z } from "zod";
import { type Caller, dangerousScopesOf, ROLES } from "../../access/access.ts";
import type { Facades } from "../facades.ts";
import { type Command, command, page, tenantCommand, text } from "../subcommand.ts";

/** The maximum number of API keys in one answer. */
const MAX_KEYS = 100_000;

/** The maximum number of audit entries in one answer. */
const MAX_WRITES = 10_000;

const auditPage = { skip: z.int().min(0), limit: z.int().min(1).max(MAX_WRITES) };

/** The commands for tenants, users, API keys and the audits. */
export const accessCommands: readonly Command[] = [
  command("tenant.create", { slug: text, name: text }, ({ access }, input) => access.createTenant(input)),
  command("tenant.list", page, ({ access }, wanted) => access.listAllTenants(wanted)),
  command("tenant.set-retention", { slug: text, days: z.number() }, async ({ access }, input) => {
    await access.setTelemetryRetention(await access.systemCaller(input.slug), input.days);
    return input;
  }),
  command("tenant.usage", { slug: text }, async ({ access }, { slug }) => ({
    slug,
    items: await access.tenantUsage(await access.systemCaller(slug)),
  })),
  command("tenant.quota", { slug: text, quota: text, value: z.number().optional() }, async ({ access }, input) => ({
    slug: input.slug,
    ...(await access.setQuota(await access.systemCaller(input.slug), input.quota, input.value)),
  })),

  tenantCommand("user.create", { email: text, role: z.enum(ROLES) }, ({ access }, caller, input) =>
    access.createUser(caller, input),
  ),
  tenantCommand("user.list", {}, async ({ access }, caller) => ({ items: await access.listUsers(caller) })),
  userCommand("user.deactivate", ({ access }, caller, email) => access.deactivateUser(caller, email)),
  userCommand("user.reactivate", ({ access }, caller, email) => access.reactivateUser(caller, email)),
  userCommand("user.delete", ({ access }, caller, email) => access.deleteUser(caller, email)),
  userCommand("user.unlock", ({ identity }, caller, email) => identity.unlockUser(caller, email)),
  command("user.reset-factor", { email: text }, async (facades, { email }) => {
    const caller = await callerForUser(facades, email);
    const [id] = await facades.access.userIdsByEmail(caller, [email]);
    return { email, ...(await facades.identity.resetFactor(caller, id!)) };
  }),
  command("user.platform", { email: text, platform: z.boolean() }, async (facades, { email, platform }) => {
    await facades.access.setPlatformUser(await callerForUser(facades, email), email, platform);
    return { email, platform };
  }),
  command("setup-link", {}, ({ identity }) => identity.makeSetUpLink()),
  command("user.reset-password", { email: text }, async (facades, { email }) => ({
    email,
    ...(await facades.access.resetPassword(await callerForUser(facades, email), email)),
  })),

  tenantCommand(
    "key.create",
    { user: text, name: text, scopes: z.array(text), expiresInDays: z.number().optional() },
    async ({ access }, caller, input) => ({
      ...(await access.createKey(caller, input)),
      dangerousScopes: dangerousScopesOf(input.scopes),
    }),
  ),
  command("key.revoke", { id: text }, async ({ access }, { id }) => {
    await access.revokeKey(await access.systemCaller(await access.tenantOfKey(id)), id);
    return { id };
  }),
  tenantCommand("key.list", {}, async ({ access }, caller) => ({
    items: (await access.listKeys(caller, { skip: 0, limit: MAX_KEYS })).items.map(
      ({ userId: _userId, endedBy: _endedBy, ...key }) => key,
    ),
  })),
  tenantCommand("api-audit", { limit: z.int().min(1).max(MAX_WRITES) }, async ({ access }, caller, { limit }) => ({
    items: (await access.listApiWrites(caller, { skip: 0, limit })).items,
  })),
  command("admin-audit", { tenant: text.optional(), ...auditPage }, async ({ access }, { tenant, skip, limit }) => ({
    items:
      tenant === undefined
        ? await access.listInstallationActs({ skip, limit })
        : (await access.listAdminActs(await access.systemCaller(tenant), { skip, limit })).items,
  })),
];

/** Declares a command that changes one user, named by email address only. It answers with that address. */
function userCommand(
  name: string,
  change: (facades: Facades, caller: Caller, email: string) => Promise<void>,
): Command {
  return command(name, { email: text }, async (facades, { email }) => {
    await change(facades, await callerForUser(facades, email), email);
    return { email };
  });
}

async function callerForUser({ access }: Facades, email: string): Promise<Caller> {
  return await access.systemCaller(await access.tenantOfUser(email));
}
