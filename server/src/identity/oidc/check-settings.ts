import type { Role } from "../../access/access.ts";
import type { Db } from "../../db/database.ts";
import { requireGroups } from "../../groups/groups.ts";
import { isUuid } from "../../lib/ids.ts";
import { invalidRequest } from "../../lib/request-errors.ts";
import type { ProviderRow } from "./provider-store.ts";

/** The settings of the tenant's provider. */
export interface ProviderSettings {
  /** The address that identifies the provider, https. */
  issuer: string;
  clientId: string;
  /** Absent to keep the present one. */
  clientSecret?: string | undefined;
  scopes: string[];
  enabled: boolean;
  /** The answer to a person without an account. */
  firstSignIn: ProviderRow["first_sign_in"];
  /** Whether users may sign in with credentials of Muster. */
  rule: ProviderRow["rule"];
  /** The ids of the admins who may under the rule `break_glass`. */
  breakGlass: string[];
  /** The claim whose values give role and groups, or null for none. */
  mapping: { claim: string; rules: { value: string; role: Role; groupIds: string[] }[] } | null;
}

/** Checked settings by the names of columns. */
export type CheckedSettings = Pick<
  ProviderRow,
  "issuer" | "client_id" | "scopes" | "first_sign_in" | "rule" | "break_glass" | "mapping_claim" | "mapping" | "enabled"
>;

/** @throws MusterError invalid_request, with the unknown record in `detail` */
export async function checkSettings(db: Db, tenantId: string, input: ProviderSettings): Promise<CheckedSettings> {
  const { mapping, breakGlass, firstSignIn } = input;
  const rules = mapping?.rules ?? [];
  await requireGroups(
    db,
    tenantId,
    rules.flatMap(({ groupIds }) => groupIds),
  );
  const stranger = breakGlass.find((id) => !isUuid(id));
  if (stranger !== undefined) throw invalidRequest("There is no such user.", stranger);
  if (firstSignIn === "mapped" && rules.length === 0)
    throw invalidRequest("Accounts are created by the mapping: give it a claim and at least one rule.", "mapping");
  return {
    issuer: checkIssuer(input.issuer),
    client_id: input.clientId,
    scopes: checkScopes(input.scopes),
    enabled: input.enabled,
    first_sign_in: firstSignIn,
    rule: input.rule,
    break_glass: [...new Set(breakGlass)],
    mapping_claim: mapping?.claim ?? null,
    mapping: rules.map(({ value, role, groupIds }) => ({ value, role, groupIds: [...new Set(groupIds)] })),
  };
}

/** @returns the issuer as it is compared: character by character (OpenID Connect Core 1.0, 3.1.3.7) */
function checkIssuer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && url.search === "" && url.hash === "" && url.username === "" && url.password === "";
  if (url?.protocol !== "https:" || !isPlain)
    throw invalidRequest("The issuer is an https address without query, as the provider names itself.", "issuer");
  return text;
}

const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

function checkScopes(scopes: readonly string[]): string[] {
  const wrong = scopes.find((scope) => !SCOPE.test(scope));
  if (wrong !== undefined) throw invalidRequest("This is not a scope.", wrong);
  return [...new Set(["openid", ...scopes])];
}
