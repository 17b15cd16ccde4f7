import { admitsUser } from "../../access/access.ts";
import { missingOf, type Session } from "../../identity/identity.ts";
import { adminRoutes } from "../admin-routes.ts";
import { isAdmittedWithout } from "../route.ts";

/**
 * The operations of the admin API that the user of a session may call: those on the own account, and those that the role admits; those that
 * complete the sign-in where it lacks something.
 */
export function operationsOf(session: Session): string[] {
  const missing = missingOf(session);
  return adminRoutes
    .filter((route) => missing === undefined || isAdmittedWithout(missing, route))
    .filter((route) => route.by !== "user" || admitsUser(route.useCase.may, session.user))
    .map(({ operationId }) => operationId);
}
