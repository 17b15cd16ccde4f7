import { admitsUser } from "../../access/access.ts";
import { missingOf, type Session } from "../../identity/identity.ts";
import { adminRoutes } from "../admin-routes.ts";
import { isAdmittedWithout } from "../route.ts";

/**
 * Returns the operations of the admin API that the user of a session may call: those on the user's own account, and
 * those that the role permits or, while the sign-in is incomplete, only those that complete it.
 */
export function operationsOf(session: Session): string[] {
  const missing = missingOf(session);
  return adminRoutes
    .filter((route) => missing === undefined || isAdmittedWithout(missing, route))
    .filter((route) => route.by !== "user" || admitsUser(route.useCase.may, session.user))
    .map(({ operationId }) => operationId);
}
