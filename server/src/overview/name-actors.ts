import { type Caller, isAdmitted, useCase } from "../access/access.ts";
import type { OverviewDeps } from "./deps.ts";

/** An actor, in the format of histories and audits, with the name of its record. */
export interface NamedActor {
  /** `user:<id>`, `apikey:<id>`, `claim:<id>` or `device:<id>`. */
  actor: string;
  /** A user's name or else e-mail address, the name of a key or a device, or the intended name of a claim. */
  name: string;
  /** The e-mail address of a user, which distinguishes users of one name. */
  email: string | null;
  /** Whether it is a deleted user. */
  deleted: boolean;
  /** The ids of a device's groups; empty for other actors. */
  groupIds: readonly string[];
  /** The place in a device's metadata. */
  place: string | null;
}

/**
 * Returns the names of actors for screens that show histories, with one request per screen. Leaves out actors other
 * than the tenant's users, keys, claims and devices, and those that the caller may not see.
 */
export const nameActors = useCase(
  { role: "viewer" },
  async ({ access, devices, enrollment }: OverviewDeps, caller, actors: readonly string[]): Promise<NamedActor[]> => {
    const kinds = [
      ["user:", access.nameUsers],
      ["apikey:", access.nameKeys],
      ["claim:", enrollment.nameClaims],
      ["device:", devices.nameDevices],
    ] as const;
    const named = kinds.map(([prefix, names]) => namesOf(caller, actors, prefix, names));
    return (await Promise.all(named)).flat();
  },
);

async function namesOf(
  caller: Caller,
  actors: readonly string[],
  prefix: string,
  names: OverviewDeps["access"]["nameUsers"],
): Promise<NamedActor[]> {
  const ids = actors.filter((actor) => actor.startsWith(prefix)).map((actor) => actor.slice(prefix.length));
  if (ids.length === 0 || !isAdmitted(caller, names)) return [];
  const records = await names(caller, [...new Set(ids)]);
  return records.map(({ id, name, email = null, deleted, groupIds = [], place = null }) => ({
    ...{ actor: prefix + id, name, email, deleted },
    ...{ groupIds, place },
  }));
}
