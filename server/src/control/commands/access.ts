import { z } from "zod";
import { ROLES } from "../../access/access.ts";
import { command, text } from "../command.ts";

const email = { email: text };

/** Tenants, users and API keys. */
export const accessCommands = [
  command("tenant.create", { slug: text, name: text }, ({ access }, input) => access.createTenant(input)),
  command("tenant.set-retention", { slug: text, days: z.number() }, async ({ access }, input) => {
    await access.setTelemetryRetention(input.slug, input.days);
    return input;
  }),

  command("user.create", { tenant: text, ...email, role: z.enum(ROLES) }, ({ access }, input) =>
    access.createUser(input),
  ),
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
];
