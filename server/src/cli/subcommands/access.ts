import { type Command, Option } from "commander";
import { paged, quotaValue, subcommand, tenantSubcommand, wholeNumber } from "../options.ts";
import { pageLines, type Result, table } from "../output.ts";
import { type Exit, send } from "../send.ts";
import { addKeyBlocking } from "./certificates.ts";
import { addTenantDomains } from "./tenant-domains.ts";

const SHOWN_ONCE = "Copy it now: it is not shown again.";

/** Adds `muster tenant | user | key …`. */
export function addAccessSubcommands(program: Command, exit: Exit): void {
  addTenants(program.command("tenant").description("Manage tenants, whose data are separate"), exit);
  const user = program.command("user").description("Manage users, who own API keys and are on call");
  addUsers(user, exit);
  addFirstUsers(program, user, exit);
  addKeys(
    program.command("key").description("Manage API keys of the public API, and block compromised device keys"),
    exit,
  );
}

function addTenants(tenant: Command, exit: Exit): void {
  subcommand(tenant, "create <slug>", "Create a tenant; the slug is part of its topics and never changes")
    .requiredOption("--name <text>", "Name of the tenant")
    .action((slug: string, { json, name }) =>
      send(exit, {
        name: "tenant.create",
        body: { slug, name },
        json,
        show: (tenant) => [`Created tenant ${tenant.slug} (${tenant.id}).`],
      }),
    );
  paged(subcommand(tenant, "list", "List the tenants, newest first"), "tenants").action(({ json, ...body }) =>
    send(exit, { name: "tenant.list", body, json, show: tenantLines }),
  );
  subcommand(tenant, "set-retention <slug>", "Set how long telemetry is stored, for data that arrives from now on")
    .requiredOption("--days <n>", "7, 30, 90, 180, 365 or 730", wholeNumber)
    .action((slug: string, { json, days }) =>
      send(exit, {
        name: "tenant.set-retention",
        body: { slug, days },
        json,
        show: () => [`Telemetry of ${slug} that arrives from now on is stored for ${days} days.`],
      }),
    );
  addQuotas(tenant, exit);
  addTenantDomains(tenant, exit);
}

function addQuotas(tenant: Command, exit: Exit): void {
  subcommand(tenant, "usage <slug>", "Show what a tenant uses of each quota").action((slug: string, { json }) =>
    send(exit, { name: "tenant.usage", body: { slug }, json, show: usageLines }),
  );
  subcommand(tenant, "quota <slug> <quota>", "Set a quota of one tenant, or reset it to the default of the service")
    .argument("<value>", "A whole number, or default", quotaValue)
    .action((slug: string, quota: string, value: number | undefined, { json }) =>
      send(exit, {
        name: "tenant.quota",
        body: { slug, quota, value },
        json,
        show: ({ limit, used, own }) => [
          `Quota ${quota} of ${slug}: ${limit}${own ? "" : " (default)"}; in use: ${used}.`,
        ],
      }),
    );
}

function addUsers(user: Command, exit: Exit): void {
  tenantSubcommand(user, "create", "Create a user with a random password")
    .requiredOption("--email <e>", "E-mail address, unique among the users of all tenants")
    .addOption(
      new Option("--role <role>", "Role of the user").choices(["admin", "operator", "viewer"]).makeOptionMandatory(),
    )
    .action(({ json, ...body }) =>
      send(exit, {
        name: "user.create",
        body,
        json,
        show: ({ id, email, password }) => [`Created user ${email} (${id}).`, `Password: ${password}`, SHOWN_ONCE],
      }),
    );
  tenantSubcommand(user, "list", "List the users of a tenant who are not deleted, newest first").action(
    ({ json, ...body }) => send(exit, { name: "user.list", body, json, show: userLines }),
  );
  addUserChanges(user, exit);
}

/** Verb → description, and report of success. */
const USER_CHANGES = {
  deactivate: [
    "Deactivate a user and revoke all API keys the user created",
    (email: string) => `Deactivated user ${email} and revoked the user's API keys.`,
  ],
  reactivate: [
    "Reactivate a user; the user's API keys stay revoked",
    (email: string) => `Reactivated user ${email}. Revoked API keys stay revoked.`,
  ],
  delete: [
    "Delete a user and revoke all API keys the user created",
    (email: string) => `Deleted user ${email} and revoked the user's API keys.`,
  ],
  unlock: [
    "Clear a user's failed sign-ins and wrong codes, so that the user can sign in again",
    (email: string) => `Cleared the failed sign-ins of ${email}.`,
  ],
} as const;

function addUserChanges(user: Command, exit: Exit): void {
  for (const [verb, [description, done]] of Object.entries(USER_CHANGES))
    subcommand(user, `${verb} <email>`, description).action((email: string, { json }) =>
      send(exit, { name: `user.${verb}`, body: { email }, json, show: () => [done(email)] }),
    );
  subcommand(
    user,
    "reset-factor <email>",
    "Remove the second factor of a user who lost it, and end the user's sessions",
  ).action((email: string, { json }) =>
    send(exit, {
      name: "user.reset-factor",
      body: { email },
      json,
      show: ({ removed }) => [
        removed
          ? `Removed the second factor of ${email} and ended the user's sessions: the password alone is sufficient again.`
          : `${email} had no second factor; the user's sessions have ended.`,
      ],
    }),
  );
  subcommand(
    user,
    "sso-reset <email>",
    "Unlink a user from the account at the identity provider, so that the next sign-in there links again",
  ).action((email: string, { json }) =>
    send(exit, {
      name: "user.sso-reset",
      body: { email },
      json,
      show: ({ unlinked }) => [
        unlinked
          ? `Unlinked ${email} and ended the sessions that the identity provider began.`
          : `${email} was not linked to an account at the identity provider.`,
      ],
    }),
  );
  subcommand(
    user,
    "reset-password <email>",
    "Set a new random password and revoke all API keys the user created",
  ).action((email: string, { json }) =>
    send(exit, {
      name: "user.reset-password",
      body: { email },
      json,
      show: ({ password }) => [
        `Set a new password for user ${email} and revoked the user's API keys.`,
        `Password: ${password}`,
        SHOWN_ONCE,
      ],
    }),
  );
}

/** Adds `muster setup-link` and `muster user platform`. */
function addFirstUsers(program: Command, user: Command, exit: Exit): void {
  subcommand(
    program,
    "setup-link",
    "Create a one-time link for the first administrator, as long as there is no user",
  ).action(({ json }) =>
    send(exit, {
      name: "setup-link",
      body: {},
      json,
      show: ({ url, expiresAt }) => [url, `It works once, until ${expiresAt}. It replaces an earlier link.`],
    }),
  );
  subcommand(user, "platform <email>", "Let an admin run the installation: tenants, certificate authorities")
    .option("--revoke", "Withdraw this permission")
    .action((email: string, { json, revoke }) =>
      send(exit, {
        name: "user.platform",
        body: { email, platform: !revoke },
        json,
        show: () => [revoke ? `${email} no longer runs the installation.` : `${email} runs the installation.`],
      }),
    );
}

function addKeys(key: Command, exit: Exit): void {
  tenantSubcommand(key, "create", "Create an API key")
    .option("--user <email>", "Admin who owns the key; it is revoked when this account is deactivated or deleted")
    .addOption(new Option("--service-account <name>", "Service account that owns the key").conflicts("user"))
    .requiredOption("--name <text>", "Purpose of the key")
    .requiredOption("--scope <scope...>", "Scope to grant, such as devices:read (repeatable)")
    .option("--expires-in-days <n>", "Days until it expires, 1 to 3650; never when absent", wholeNumber)
    .action(({ json, scope, ...rest }) =>
      send(exit, {
        name: "key.create",
        body: { ...rest, scopes: scope },
        json,
        show: ({ id, key, dangerousScopes }) => [
          `Created API key ${id}. Send it in the X-API-Key header:`,
          key,
          SHOWN_ONCE,
          ...(dangerousScopes.length > 0 ? [`Dangerous if leaked: ${dangerousScopes.join(", ")}. Keep it safe.`] : []),
        ],
      }),
    );
  subcommand(key, "rotate <id>", "Replace an API key by one with the same rights, and let the old one work for a while")
    .option("--overlap-hours <n>", "Hours that the old key keeps working, 0 to 168; 24 when absent", wholeNumber)
    .action((id: string, { json, ...overlap }) =>
      send(exit, { name: "key.rotate", body: { id, ...overlap }, json, show: rotationLines }),
    );
  subcommand(key, "revoke <id>", "Revoke an API key permanently").action((id: string, { json }) =>
    send(exit, { name: "key.revoke", body: { id }, json, show: () => [`Revoked API key ${id}.`] }),
  );
  tenantSubcommand(
    key,
    "list",
    "List all API keys of a tenant, including revoked and expired ones, newest first",
  ).action(({ json, ...body }) => send(exit, { name: "key.list", body, json, show: keyLines }));
  addKeyBlocking(key, exit);
}

function tenantLines(page: Result): string[] {
  const rows = page.items.map(({ slug, name, createdAt, id }: Result) => [slug, name, createdAt, id]);
  return pageLines(table(["SLUG", "NAME", "CREATED", "ID"], rows, "No tenants."), page, "tenants");
}

function usageLines({ items }: Result): string[] {
  return table(
    ["QUOTA", "USED", "LIMIT", "COUNTS"],
    items.map(({ quota, of, used, limit, own }: Result) => [quota, `${used} of ${limit}`, own ? "own" : "default", of]),
    "No quotas.",
  );
}

function userLines({ items }: Result): string[] {
  return table(
    ["EMAIL", "ROLE", "STATUS", "ID"],
    items.map(({ id, email, role, status }: Result) => [email, role, status, id]),
    "No users.",
  );
}

function keyLines({ items }: Result): string[] {
  return table(
    ["ID", "NAME", "STATE", "LAST USED", "CREATOR", "SCOPES"],
    items.map((key: Result) => [key.id, key.name, stateOf(key), lastUseOf(key), key.user, key.scopes.join(" ")]),
    "No API keys.",
  );
}

function rotationLines({ id, key, replaces }: Result): string[] {
  return [
    `Created API key ${id}. Send it in the X-API-Key header:`,
    key,
    SHOWN_ONCE,
    `API key ${replaces.id} ends at ${replaces.expiresAt}.`,
  ];
}

function stateOf(key: Result): string {
  const { revokedAt, revocationReason, expiresAt, ownerKind, ownerRole, replacedBy } = key;
  if (revokedAt) return `revoked ${revokedAt} (${revocationReason})`;
  if (replacedBy) return `replaced by ${replacedBy}, expires ${expiresAt}`;
  if (ownerRole !== "admin" && ownerKind === "person") return `limited, its owner is ${ownerRole} now`;
  return expiresAt ? `expires ${expiresAt}` : "does not expire";
}

function lastUseOf({ lastUsedAt, lastUsedAddress }: Result): string {
  return lastUsedAt ? `${lastUsedAt} from ${lastUsedAddress}` : "never";
}
