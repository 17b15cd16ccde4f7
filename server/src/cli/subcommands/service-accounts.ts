import { type Command, Option } from "commander";
import { paged, tenantSubcommand, wholeNumber } from "../options.ts";
import { pageLines, type Result, table } from "../output.ts";
import { type Exit, send } from "../send.ts";

const ROLES = ["admin", "operator", "viewer"];

/** Adds `muster service-account …`. */
export function addServiceAccountSubcommands(program: Command, exit: Exit): void {
  const account = program
    .command("service-account")
    .description("Manage service accounts: users that cannot sign in, for programs");
  tenantSubcommand(account, "create", "Create a service account; it stays when its contact leaves")
    .requiredOption("--name <text>", "Name, unique in the tenant")
    .addOption(new Option("--role <role>", "Role of the account").choices(ROLES).makeOptionMandatory())
    .requiredOption("--contact <email>", "User to contact about it")
    .option("--expires-in-days <n>", "Days until it ends, 1 to 400", wholeNumber, 365)
    .option("--group <id...>", "Groups whose devices it sees (repeatable)")
    .option("--from <range...>", "Addresses and networks from which its keys are admitted (repeatable)")
    .action(({ json, ...options }) =>
      send(exit, {
        name: "service-account.create",
        body: withPlaces(options),
        json,
        show: ({ id, name, endsAt }) => [`Created service account ${name} (${id}), which ends at ${endsAt}.`],
      }),
    );
  paged(tenantSubcommand(account, "list", "List the service accounts of a tenant by name"), "accounts").action(
    ({ json, ...body }) => send(exit, { name: "service-account.list", body, json, show: accountLines }),
  );
  tenantSubcommand(account, "update <name>", "Change a service account")
    .addOption(new Option("--role <role>", "Its role").choices(ROLES))
    .option("--contact <email>", "User to contact about it")
    .option("--expires-in-days <n>", "Days from now until it ends, 1 to 400", wholeNumber)
    .option("--group <id...>", "Groups whose devices it sees, in place of the present ones (repeatable)")
    .option("--from <range...>", "Addresses and networks from which its keys are admitted, instead (repeatable)")
    .option("--from-anywhere", "Admits its keys from any address again")
    .action((name: string, { json, fromAnywhere, ...options }) =>
      send(exit, {
        name: "service-account.update",
        body: { name, ...withPlaces(options), ...(fromAnywhere && { addressRanges: [] }) },
        json,
        show: () => [`Changed service account ${name}.`],
      }),
    );
  for (const [verb, [description, done]] of Object.entries(CHANGES))
    tenantSubcommand(account, `${verb} <name>`, description).action((name: string, { json, ...body }) =>
      send(exit, { name: `service-account.${verb}`, body: { name, ...body }, json, show: () => [done(name)] }),
    );
}

interface Options {
  group?: string[];
  from?: string[];
}

function withPlaces({ group, from, ...others }: Options) {
  return { ...others, ...(group && { groupIds: group }), ...(from && { addressRanges: from }) };
}

/** Verb → description, and report of success. */
const CHANGES = {
  deactivate: [
    "Deactivate a service account and revoke its API keys",
    (name: string) => `Deactivated service account ${name} and revoked its API keys.`,
  ],
  reactivate: [
    "Reactivate a service account; its API keys stay revoked",
    (name: string) => `Reactivated service account ${name}. Revoked API keys stay revoked.`,
  ],
  delete: [
    "Delete a service account and revoke its API keys",
    (name: string) => `Deleted service account ${name} and revoked its API keys.`,
  ],
} as const;

function accountLines(page: Result): string[] {
  const rows = page.items.map(({ name, role, status, endsAt, contact, addressRanges, id }: Result) => [
    name,
    role,
    status,
    endsAt,
    contact.active ? contact.email : `${contact.email} (gone)`,
    addressRanges.join(" ") || "anywhere",
    id,
  ]);
  const head = ["NAME", "ROLE", "STATUS", "ENDS", "CONTACT", "FROM", "ID"];
  return pageLines(table(head, rows, "No service accounts."), page, "service accounts");
}
