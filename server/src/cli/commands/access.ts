import { type Command, Option } from "commander";
import { type Answer, columns, type Exit, leaf, send, wholeNumber } from "../send.ts";

const ONCE = "It is shown this once and stored nowhere; keep it safe.";

/** `muster tenant | user | key …`, `muster api-audit` */
export function addAccessCommands(program: Command, exit: Exit): void {
  addTenant(program.command("tenant").description("tenants: accounts whose data never mix"), exit);
  addUsers(program.command("user").description("people: they answer for API keys and stand on duty"), exit);
  addKeys(program.command("key").description("API keys of the public API"), exit);
  addApiAudit(program, exit);
}

function addTenant(tenant: Command, exit: Exit): void {
  leaf(tenant, "create <slug>", "add a tenant; the slug names it in topics and never changes")
    .requiredOption("--name <text>", "its name")
    .action((slug: string, { json, name }) =>
      send(exit, {
        name: "tenant.create",
        body: { slug, name },
        json,
        show: (tenant) => [`Tenant ${tenant.slug} is there (${tenant.id}).`],
      }),
    );
  leaf(tenant, "set-retention <slug>", "say how long telemetry that arrives from now on is kept")
    .requiredOption("--days <n>", "7, 30, 90, 180, 365 or 730", wholeNumber)
    .action((slug: string, { json, days }) =>
      send(exit, {
        name: "tenant.set-retention",
        body: { slug, days },
        json,
        show: () => [`Telemetry of ${slug} that arrives from now on is kept for ${days} days.`],
      }),
    );
}

function addUsers(user: Command, exit: Exit): void {
  leaf(user, "create", "add a user with a random password")
    .requiredOption("--tenant <slug>", "the tenant")
    .requiredOption("--email <e>", "the email address; no two users have the same, in whichever tenants")
    .addOption(
      new Option("--role <role>", "what the user may do")
        .choices(["admin", "operator", "viewer"])
        .makeOptionMandatory(),
    )
    .action(({ json, ...body }) =>
      send(exit, {
        name: "user.create",
        body,
        json,
        show: ({ id, email, password }) => [`User ${email} is there (${id}).`, `Password: ${password}`, ONCE],
      }),
    );
  leaf(user, "list", "every user of a tenant who is not deleted, newest first")
    .requiredOption("--tenant <slug>", "the tenant")
    .action(({ json, ...body }) => send(exit, { name: "user.list", body, json, show: ({ items }) => users(items) }));
  const changes = [
    ["deactivate", "shut a user out; every API key the user made dies for good", "is deactivated; the keys are dead"],
    ["reactivate", "let a deactivated user in again; the API keys stay dead", "is active again; old keys stay dead"],
    ["delete", "delete a user; every API key the user made dies for good", "is deleted; the keys are dead"],
  ] as const;
  for (const [verb, description, done] of changes) {
    leaf(user, `${verb} <email>`, description).action((email: string, { json }) =>
      send(exit, { name: `user.${verb}`, body: { email }, json, show: () => [`User ${email} ${done}.`] }),
    );
  }
  leaf(user, "reset-password <email>", "give a user a new random password; the user's API keys die").action(
    (email: string, { json }) =>
      send(exit, {
        name: "user.reset-password",
        body: { email },
        json,
        show: ({ password }) => [`User ${email} has a new password; the keys are dead.`, `Password: ${password}`, ONCE],
      }),
  );
}

function addKeys(key: Command, exit: Exit): void {
  leaf(key, "create", "make an API key for a tenant admin")
    .requiredOption("--tenant <slug>", "the tenant")
    .requiredOption("--user <email>", "the admin who answers for it; the key dies with this account")
    .requiredOption("--name <text>", "what it is for")
    .requiredOption("--scope <scope...>", "what it may do, e.g. devices:read (repeatable)")
    .option("--expires-in-days <n>", "how long it works; for ever when absent", wholeNumber)
    .action(({ json, scope, ...rest }) =>
      send(exit, {
        name: "key.create",
        body: { ...rest, scopes: scope },
        json,
        show: (made) => [`API key ${made.id} is there. Send it as X-API-Key:`, made.key, ONCE],
      }),
    );
  leaf(key, "revoke <id>", "revoke an API key for good").action((id: string, { json }) =>
    send(exit, { name: "key.revoke", body: { id }, json, show: () => [`API key ${id} is revoked.`] }),
  );
  leaf(key, "list", "every API key a tenant ever had, newest first; never the secret part")
    .requiredOption("--tenant <slug>", "the tenant")
    .action(({ json, ...body }) => send(exit, { name: "key.list", body, json, show: ({ items }) => keys(items) }));
}

function addApiAudit(program: Command, exit: Exit): void {
  leaf(program, "api-audit", "what was written with a tenant's API keys, newest first")
    .requiredOption("--tenant <slug>", "the tenant")
    .option("--limit <n>", "how many entries, 1 to 10000", wholeNumber, 50)
    .action(({ json, ...body }) => send(exit, { name: "api-audit", body, json, show: ({ items }) => writes(items) }));
}

function users(items: Answer[]): string[] {
  return columns(
    items.map(({ id, email, role, status }) => [email, role, status, id]),
    "There are no users.",
  );
}

function keys(items: Answer[]): string[] {
  return columns(
    items.map((key) => [key.id, key.name, stateOf(key), usedAt(key), key.user, key.scopes.join(" ")]),
    "There are no API keys.",
  );
}

function stateOf({ revokedAt, revocationReason, expiresAt }: Answer): string {
  if (revokedAt) return `revoked ${revokedAt} (${revocationReason})`;
  return expiresAt ? `until ${expiresAt}` : "without an end";
}

function usedAt({ lastUsedAt, lastUsedAddress }: Answer): string {
  return lastUsedAt ? `last used ${lastUsedAt} from ${lastUsedAddress}` : "never used";
}

function writes(items: Answer[]): string[] {
  return columns(
    items.map((write) => [
      write.at,
      `apikey:${write.keyId}`,
      write.operation,
      `${write.resource} ${write.resourceId}`,
      write.result,
      write.address ?? "",
      write.requestId,
    ]),
    "Nothing was written with API keys.",
  );
}
