import type { Db } from "../../db/database.ts";
import { readChanges } from "./changes.ts";
import type { ChangeScope } from "./changes-store.ts";
import { createPollCoalescer, type PollCoalescer } from "./poll-coalescer.ts";

/** The poll coalescers of this process: one for all followers of a whole tenant. Followers of a part of it have one each. */
export interface TenantPolls {
  /** Call `leave` when the follower has ended. */
  enter(scope: ChangeScope): { polls: PollCoalescer; leave(): void };
}

export function createTenantPolls(db: Db): TenantPolls {
  const tenants = new Map<string, { polls: PollCoalescer; followers: number }>();
  return {
    enter(scope) {
      const polls = createPollCoalescer((position) => readChanges(db, scope, position));
      if (scope.viewer !== undefined || scope.deviceIds !== undefined) return { polls, leave: () => undefined };
      const shared = tenants.get(scope.tenantId) ?? { polls, followers: 0 };
      shared.followers++;
      tenants.set(scope.tenantId, shared);
      const leave = () => {
        if (--shared.followers === 0) tenants.delete(scope.tenantId);
      };
      return { polls: shared.polls, leave };
    },
  };
}
