import { createFollowedIds, type FollowedIds } from "../../lib/following/followed-ids.ts";
import { type Rights, ROLES } from "../caller.ts";
import type { AccessDeps } from "../deps.ts";
import { findWorkingKeys } from "./key-store.ts";

/** The NOTIFY channel for keys that were revoked or whose owner's role changed; its payload is the key's public id. */
const CHANNEL = "muster_keys";

type Key = Pick<Extract<Rights, { kind: "key" }>, "keyId" | "owner">;

export interface FollowedKeys extends Pick<FollowedIds, "check" | "stop"> {
  /** Does {@link FollowedIds.follow} for a key with its current rights. */
  follow(key: Key, ended: () => void): Promise<() => void>;
}

/** Creates the registry of API keys with event streams; a stream lasts as long as the owner's role stays the same. */
export function createFollowedKeys({ database, clock }: Pick<AccessDeps, "database" | "clock">): FollowedKeys {
  const { follow, check, stop } = createFollowedIds({
    listen: (end) =>
      database.listen(CHANNEL, (keyId) => {
        for (const role of ROLES) end(nameOf(keyId, role));
      }),
    findOpen: async (names) => {
      const keys = await findWorkingKeys(database.db, names.map(keyOf), clock.now());
      return new Set(keys.map(({ id, role }) => nameOf(id, role)));
    },
  });
  return { check, stop, follow: ({ keyId, owner }, ended) => follow(nameOf(keyId, owner.role), ended) };
}

const nameOf = (keyId: string, role: string) => `${keyId} ${role}`;
const keyOf = (name: string) => name.split(" ")[0]!;
