import { type Caller, isAdmitted, useCase } from "../access/access.ts";
import type { OverviewDeps } from "./deps.ts";

/** Who did something, as histories and audits print it, with the name of the record. */
export interface NamedActor {
  /** `user:<id>`, `apikey:<id>`, `claim:<id>` or `device:<id>`. */
  actor: string;
  /** A user's email address, the name of a key or a device, whom a claim is for. */
  name: string;
  /** A deleted user. */
  deleted: boolean;
}

/**
 * The names of actors, for the screens that show histories: one look-up for a screen. Left out are actors that are none of the tenant's
 * users, keys, claims and devices, and those that the caller may not see.
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
  return records.map(({ id, name, deleted }) => ({ actor: prefix + id, name, deleted }));
}
