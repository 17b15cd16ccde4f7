import type { Command } from "commander";
import { subcommand } from "../options.ts";
import { type Result, table } from "../output.ts";
import { type Exit, send } from "../send.ts";

/** Adds `muster tenant domain …` and `muster tenant sso-off`. */
export function addTenantDomains(tenant: Command, exit: Exit): void {
  subcommand(
    tenant,
    "sso-off <slug>",
    "Switch a tenant's identity provider off, so that passwords suffice again",
  ).action((slug: string, { json }) =>
    send(exit, {
      name: "tenant.sso-off",
      body: { tenant: slug },
      json,
      show: () => [`The identity provider of ${slug} is off: its users sign in with passwords.`],
    }),
  );
  const domain = tenant.command("domain").description("Assign domains of e-mail addresses for single sign-on");
  subcommand(
    domain,
    "add <slug> <domain>",
    "Let people with addresses of a domain sign in at a tenant's provider",
  ).action((slug: string, domain: string, { json }) =>
    send(exit, {
      name: "tenant.domain.add",
      body: { tenant: slug, domain },
      json,
      show: (added) => [`People with addresses of ${added.domain} sign in at the provider of ${slug}.`],
    }),
  );
  subcommand(domain, "remove <slug> <domain>", "Take a domain from a tenant").action(
    (slug: string, domain: string, { json }) =>
      send(exit, {
        name: "tenant.domain.remove",
        body: { tenant: slug, domain },
        json,
        show: () => [`${slug} no longer has the domain ${domain}.`],
      }),
  );
  subcommand(domain, "list <slug>", "List the domains of a tenant").action((slug: string, { json }) =>
    send(exit, { name: "tenant.domain.list", body: { tenant: slug }, json, show: domainLines }),
  );
}

function domainLines({ items }: Result): string[] {
  return table(
    ["DOMAIN", "ADDED"],
    items.map(({ domain, createdAt }: Result) => [domain, createdAt]),
    "No domains.",
  );
}
