import { addMs, DAY } from "../../lib/clock.ts";
import type { NotificationsDeps } from "../deps.ts";
import { nextGroups, readGroups } from "../paging/paged-group-store.ts";
import { coveredTimes } from "./coverage.ts";

const AHEAD_MS = 7 * DAY;
const BATCH = 200;

/** Lists every group with an escalation but no recipient at any time in the next seven days. */
export async function* uncoveredGroups({ database: { db }, clock }: NotificationsDeps): AsyncGenerator<string> {
  const now = clock.now();
  for (let after: string | undefined; ; ) {
    const ids = await nextGroups(db, after, BATCH);
    for (const group of await readGroups(db, null, ids))
      if (group.escalation.length > 0 && coveredTimes(group, now, addMs(now, AHEAD_MS)).length === 0)
        yield `group ${group.id} (${group.name})`;
    if (ids.length < BATCH) return;
    after = ids.at(-1);
  }
}
