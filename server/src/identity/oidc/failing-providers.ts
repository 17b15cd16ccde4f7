import type { IdentityDeps } from "../deps.ts";
import { secretsOf } from "./exchange.ts";
import { type ProviderRow, readEnabled } from "./provider-store.ts";

const AT_ONCE = 8;

/** Names each tenant whose identity provider is on and cannot be used, with the cause. For the doctor. */
export async function* failingProviders(deps: IdentityDeps): AsyncGenerator<string> {
  const rows = await readEnabled(deps.database.db);
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const causes = await Promise.all(rows.slice(from, from + AT_ONCE).map((row) => causeOf(deps, row)));
    for (const cause of causes) if (cause !== undefined) yield cause;
  }
}

async function causeOf(
  deps: IdentityDeps,
  { slug, ...row }: ProviderRow & { slug: string },
): Promise<string | undefined> {
  try {
    await deps.providers.describe(row, secretsOf(deps));
    return undefined;
  } catch (error) {
    return `tenant ${slug}, ${row.issuer}: ${(error as Error).message.slice(0, 200)}`;
  }
}
