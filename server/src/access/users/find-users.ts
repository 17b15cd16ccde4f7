import { invalidRequest } from "../../lib/request-errors.ts";
import type { AccessDeps } from "../deps.ts";
import { useCase } from "../use-case.ts";
import { findIdsByEmail } from "../user-store.ts";

/**
 * Returns the ids of the tenant's users with these addresses, for the shell, which identifies users by address.
 *
 * @throws MusterError invalid_request with the first unknown address in `detail`
 */
export const userIdsByEmail = useCase(
  { role: "operator" },
  async (deps: AccessDeps, caller, emails: readonly string[]): Promise<string[]> => {
    const found = await findIdsByEmail(deps.database.db, caller.tenantId, [...emails]);
    return emails.map((email, index) => {
      const id = found[index];
      if (!id) throw invalidRequest("There is no such user.", email);
      return id;
    });
  },
);
