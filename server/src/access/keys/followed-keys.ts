import { createFollowedIds, type FollowedIds } from "../../lib/following/followed-ids.ts";
import type { AccessDeps } from "../deps.ts";
import { findWorkingKeys } from "./key-store.ts";

/** The NOTIFY channel of revoked keys; its payload is the key's public id. */
const CHANNEL = "muster_keys";

/** What lasts as long as an API key: its event streams. */
export function createFollowedKeys({ database, clock }: Pick<AccessDeps, "database" | "clock">): FollowedIds {
  return createFollowedIds({
    listen: (end) => database.listen(CHANNEL, end),
    findOpen: (ids) => findWorkingKeys(database.db, ids, clock.now()),
  });
}
