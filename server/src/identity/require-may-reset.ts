import { type Caller, requireMay } from "../access/access.ts";

/**
 * Who resets a user's password or second factor can sign in as that user: the installation is not run by every admin of a tenant in which
 * one of those who run it is a user.
 *
 * @throws MusterError insufficient_role
 */
export function requireMayReset(caller: Caller, user: { platform: boolean }): void {
  if (user.platform) requireMay(caller, { role: "platform" }, "resetting a user who runs the installation");
}
