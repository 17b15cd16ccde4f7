import { admitsUser } from "../../access/access.ts";
import type { Session } from "../../identity/identity.ts";
import { adminRoutes } from "../admin-routes.ts";

/** The operations of the admin API that the user of a session may call: those on the own account, and those that the role admits. */
export function operationsOf({ user }: Session): string[] {
  return adminRoutes
    .filter((route) => route.by !== "user" || admitsUser(route.useCase.may, user))
    .map(({ operationId }) => operationId);
}
