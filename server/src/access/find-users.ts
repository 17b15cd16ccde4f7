import { invalidRequest } from "../lib/request-errors.ts";
import type { Caller } from "./caller.ts";
import type { AccessDeps } from "./deps.ts";
import { findIdsByEmail } from "./user-store.ts";

/**
 * The ids of the tenant's users with these addresses, for who knows people and not ids: the shell.
 *
 * @throws MusterError invalid_request with the first unknown address in `detail`
 */
export async function userIdsByEmail(deps: AccessDeps, caller: Caller, emails: readonly string[]): Promise<string[]> {
  const found = await findIdsByEmail(
    deps.database.db,
    caller.tenantId,
    emails.map((email) => email.trim()),
  );
  return emails.map((email, index) => {
    const id = found[index];
    if (!id) throw invalidRequest("There is no such user.", email);
    return id;
  });
}
