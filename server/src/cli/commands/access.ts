import { type Command, Option } from "commander";
import { type Exit, leaf, send, wholeNumber } from "../send.ts";

const ONCE = "It is shown this once and stored nowhere; keep it safe.";

/** `muster tenant | user | key …` */
export function addAccessCommands(program: Command, exit: Exit): void {
  addTenant(program.command("tenant").description("tenants: accounts whose data never mix"), exit);
  addUsers(program.command("user").description("people who use the admin app and answer for API keys"), exit);
  addKeys(program.command("key").description("API keys of the public API"), exit);
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
    .requiredOption("--email <e>", "the email address, which is the name to log in with")
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
}
