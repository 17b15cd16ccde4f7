import { z } from "zod";
import { ROLES } from "../../access/access.ts";
import { command, text } from "../command.ts";
import type { Facades } from "../facades.ts";

const email = { email: text };

/** How many entries of the API audit log one answer contains at most. */
const MAX_WRITES = 10_000;

/** Tenants, users, API keys and the API audit log. */
export const accessCommands = [
  command("tenant.create", { slug: text, name: text }, ({ access }, input) => access.createTenant(input)),
  command("tenant.set-retention", { slug: text, days: z.number() }, async ({ access }, input) => {
    await access.setTelemetryRetention(await access.systemCaller(input.slug), input.days);
    return input;
  }),

  command("user.create", { tenant: text, ...email, role: z.enum(ROLES) }, async ({ access }, { tenant, ...input }) =>
    access.createUser(await access.systemCaller(tenant), input),
  ),
  command("user.list", { tenant: text }, async ({ access }, { tenant }) => ({
    items: await access.listUsers(await access.systemCaller(tenant)),
  })),
  command("user.deactivate", email, async (facades, input) => {
    await facades.access.deactivateUser(await callerForUser(facades, input.email), input.email);
    return input;
  }),
  command("user.reactivate", email, async (facades, input) => {
    await facades.access.reactivateUser(await callerForUser(facades, input.email), input.email);
    return input;
  }),
  command("user.delete", email, async (facades, input) => {
    await facades.access.deleteUser(await callerForUser(facades, input.email), input.email);
    return input;
  }),
  command("user.reset-password", email, async (facades, input) => ({
    ...input,
    ...(await facades.access.resetPassword(await callerForUser(facades, input.email), input.email)),
  })),

  command(
    "key.create",
    { tenant: text, user: text, name: text, scopes: z.array(text), expiresInDays: z.number().optional() },
    async ({ access }, { tenant, ...input }) => access.createKey(await access.systemCaller(tenant), input),
  ),
  command("key.revoke", { id: text }, async ({ access }, input) => {
    await access.revokeKey(await access.systemCaller(await access.tenantOfKey(input.id)), input.id);
    return input;
  }),
  command("key.list", { tenant: text }, async ({ access }, { tenant }) => ({
    items: await access.listKeys(await access.systemCaller(tenant)),
  })),
  command(
    "api-audit",
    { tenant: text, limit: z.number().int().min(1).max(MAX_WRITES) },
    async ({ access }, { tenant, limit }) => ({
      items: await access.listApiWrites(await access.systemCaller(tenant), { skip: 0, limit }),
    }),
  ),
];

async function callerForUser({ access }: Facades, email: string) {
  return await access.systemCaller(await access.tenantOfUser(email));
}
