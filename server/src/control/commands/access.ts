import { z } from "zod";
import { ROLES } from "../../access/access.ts";
import { command, text } from "../command.ts";

const email = { email: text };

/** How much of the API audit log one answer holds at most. */
const MAX_WRITES = 10_000;

/** Tenants, users, API keys, and what was written with them. */
export const accessCommands = [
  command("tenant.create", { slug: text, name: text }, ({ access }, input) => access.createTenant(input)),
  command("tenant.set-retention", { slug: text, days: z.number() }, async ({ access }, input) => {
    await access.setTelemetryRetention(input.slug, input.days);
    return input;
  }),

  command("user.create", { tenant: text, ...email, role: z.enum(ROLES) }, ({ access }, input) =>
    access.createUser(input),
  ),
  command("user.list", { tenant: text }, async ({ access }, { tenant }) => ({
    items: await access.listUsers(await access.systemCaller(tenant)),
  })),
  command("user.deactivate", email, async ({ access }, input) => {
    await access.deactivateUser(input.email);
    return input;
  }),
  command("user.reactivate", email, async ({ access }, input) => {
    await access.reactivateUser(input.email);
    return input;
  }),
  command("user.delete", email, async ({ access }, input) => {
    await access.deleteUser(input.email);
    return input;
  }),
  command("user.reset-password", email, async ({ access }, input) => ({
    ...input,
    ...(await access.resetPassword(input.email)),
  })),

  command(
    "key.create",
    { tenant: text, user: text, name: text, scopes: z.array(text), expiresInDays: z.number().optional() },
    ({ access }, input) => access.createKey(input),
  ),
  command("key.revoke", { id: text }, async ({ access }, input) => {
    await access.revokeKey(input.id);
    return input;
  }),
  command("key.list", { tenant: text }, async ({ access }, { tenant }) => ({
    items: await access.listKeys(await access.systemCaller(tenant)),
  })),
  command(
    "api-audit",
    { tenant: text, limit: z.number().int().min(1).max(MAX_WRITES) },
    async ({ access, audit }, { tenant, limit }) => {
      const { tenantId } = await access.systemCaller(tenant);
      return { items: await audit.listApiWrites(tenantId, { skip: 0, limit }) };
    },
  ),
];
