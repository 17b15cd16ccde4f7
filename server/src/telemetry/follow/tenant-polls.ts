import type { Db } from "../../db/database.ts";
import { type ChangePage, type ChangePosition, readChanges } from "./changes.ts";
import type { ChangeScope } from "./changes-store.ts";
import { createPollCoalescer, type PollCoalescer } from "./poll-coalescer.ts";

/**
 * The maximum number of devices per shared query. More would slow it down for every follower, so further followers of
 * single devices get a query each.
 */
const MOST_SHARED_DEVICES = 1_000;

/** A follower's access to its poll coalescer. Call `leave` when the follower has ended. */
interface Entered {
  polls: PollCoalescer;
  leave(): void;
}

/**
 * The poll coalescers of this process. All followers of a whole tenant share one. Followers of single devices share one
 * if they belong to the same tenant and their users see the same devices. It reads the devices of all of them, and each
 * follower receives its own.
 */
export interface TenantPolls {
  enter(scope: ChangeScope): Entered;
}

export function createTenantPolls(db: Db): TenantPolls {
  const tenants = new Map<string, { polls: PollCoalescer; followers: number }>();
  const parts = new Map<string, SharedDevices>();

  function enterTenant(scope: ChangeScope): Entered {
    const key = scope.tenantId;
    const polls = createPollCoalescer((position) => readChanges(db, scope, position));
    const shared = tenants.get(key) ?? { polls, followers: 0 };
    shared.followers++;
    tenants.set(key, shared);
    const leave = () => {
      if (--shared.followers === 0) tenants.delete(key);
    };
    return { polls: shared.polls, leave };
  }

  function enterDevices(scope: ChangeScope, deviceIds: readonly string[]): Entered {
    const key = `${scope.tenantId} ${scope.viewer ?? ""}`;
    const present = parts.get(key);
    const shared = present?.hasRoomFor(deviceIds.length) ? present : new SharedDevices(db, scope);
    if (!present) parts.set(key, shared);
    const leave = shared.add(deviceIds);
    return {
      polls: filtered(shared.polls, new Set(deviceIds)),
      leave: () => {
        leave();
        if (shared.isEmpty && parts.get(key) === shared) parts.delete(key);
      },
    };
  }

  return {
    enter(scope) {
      if (scope.deviceIds !== undefined) return enterDevices(scope, scope.deviceIds);
      if (scope.viewer === undefined) return enterTenant(scope);
      return { polls: createPollCoalescer((position) => readChanges(db, scope, position)), leave: () => undefined };
    },
  };
}

/** The devices that several followers in a tenant follow together. */
class SharedDevices {
  readonly polls: PollCoalescer;
  /** Maps device ids to their number of followers. */
  readonly #followers = new Map<string, number>();

  constructor(db: Db, { tenantId, viewer }: ChangeScope) {
    this.polls = createPollCoalescer((position) =>
      readChanges(db, { tenantId, viewer, deviceIds: [...this.#followers.keys()] }, position),
    );
  }

  get isEmpty(): boolean {
    return this.#followers.size === 0;
  }

  hasRoomFor(count: number): boolean {
    return this.#followers.size + count <= MOST_SHARED_DEVICES;
  }

  /** @returns a function that removes them again */
  add(deviceIds: readonly string[]): () => void {
    const unique = new Set(deviceIds);
    for (const id of unique) this.#followers.set(id, (this.#followers.get(id) ?? 0) + 1);
    // A running query does not read the new devices.
    this.polls.forget();
    return () => {
      for (const id of unique) {
        const left = this.#followers.get(id)! - 1;
        if (left === 0) this.#followers.delete(id);
        else this.#followers.set(id, left);
      }
    };
  }
}

/** Restricts polls to the changes of the given devices. */
function filtered(polls: PollCoalescer, deviceIds: ReadonlySet<string>): PollCoalescer {
  const own = ({ changes, next }: ChangePage): ChangePage => ({
    changes: changes.filter(({ deviceId }) => deviceIds.has(deviceId)),
    next,
  });
  return {
    get position() {
      return polls.position;
    },
    poll: async (position: ChangePosition) => own(await polls.poll(position)),
    join: polls.join,
    forget: polls.forget,
  };
}
