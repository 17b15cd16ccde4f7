import { z } from "zod";
import { ROLES } from "../../access/access.ts";
import { page, type Subcommand, tenantSubcommand, text } from "../subcommand.ts";

const role = z.enum(ROLES);
const places = { groupIds: z.array(text).optional(), addressRanges: z.array(text).optional() };

/** The commands for service accounts, which the shell names by their names, and their contacts by address. */
export const serviceAccountSubcommands: readonly Subcommand[] = [
  tenantSubcommand("service-account.list", page, ({ access }, caller, wanted) =>
    access.listServiceAccounts(caller, wanted),
  ),
  tenantSubcommand(
    "service-account.create",
    { name: text, role, contact: text, expiresInDays: z.number(), ...places },
    async ({ access, groups }, caller, { contact, ...input }) => {
      const [contactUserId] = await access.userIdsByEmail(caller, [contact]);
      return groups.createServiceAccount(caller, { ...input, contactUserId });
    },
  ),
  tenantSubcommand(
    "service-account.update",
    {
      name: text,
      role: role.optional(),
      contact: text.optional(),
      expiresInDays: z.number().optional(),
      ...places,
    },
    async ({ access, groups }, caller, { name, contact, ...change }) => {
      const [contactUserId] = contact === undefined ? [] : await access.userIdsByEmail(caller, [contact]);
      return groups.updateServiceAccount(caller, name, { ...change, contactUserId });
    },
  ),
  ...(["deactivated", "active"] as const).map((status) =>
    tenantSubcommand(
      `service-account.${status === "active" ? "reactivate" : "deactivate"}`,
      { name: text },
      ({ groups }, caller, { name }) => groups.updateServiceAccount(caller, name, { status }),
    ),
  ),
  tenantSubcommand("service-account.delete", { name: text }, async ({ access }, caller, { name }) => {
    await access.deleteServiceAccount(caller, name);
    return { name };
  }),
];
