import { invalidRequest, notFound } from "../../lib/request-errors.ts";
import { plainLine } from "../../lib/text.ts";
import { timeZoneName } from "../../lib/time-zone.ts";
import { adminUseCase, type PreparedChange } from "../admin-use-case.ts";
import { ownUserOf } from "../caller.ts";
import type { AccessDeps } from "../deps.ts";
import { lockProfile, type Profile, setProfile } from "./profile-store.ts";

/**
 * Replaces the caller's own name and the way in which the admin app shows itself to them.
 *
 * @throws MusterError invalid_request (name, timeZone); not_found
 */
export const changeProfile = adminUseCase(
  { role: "viewer" },
  "user.change-profile",
  async (_deps: AccessDeps, caller, given: Profile): Promise<PreparedChange<Profile>> => {
    const userId = ownUserOf(caller);
    const profile = {
      ...given,
      name: given.name && plainLine("name", given.name),
      timeZone: checkZone(given.timeZone),
    };
    return {
      change: async (tx) => {
        const before = await lockProfile(tx, userId);
        if (!before) throw notFound("user");
        await setProfile(tx, userId, profile);
        return { target: userId, before: { ...before }, after: { ...profile }, result: profile };
      },
    };
  },
);

function checkZone(zone: string | null): string | null {
  const known = zone === null ? null : timeZoneName(zone);
  if (known === undefined) throw invalidRequest("There is no such time zone.", "timeZone");
  return known;
}
