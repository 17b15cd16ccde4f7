import { boundedToGroupsOf, useCase } from "../access/access.ts";
import { isWanted, type TenantEvent } from "../events/events.ts";
import { parseLiveCursor, toLiveCursor } from "./cursor.ts";
import { requireKinds } from "./families.ts";
import type { LiveDeps } from "./follow.ts";

export interface ListedEvents {
  items: TenantEvent[];
  /** The position after all events read, including those of other kinds. */
  cursor: string;
  /** Whether more events can be read at once. */
  more: boolean;
}

/**
 * Returns events of the caller's tenant after a cursor, oldest first, with the rights and the order of `follow`, whose
 * cursors it takes.
 *
 * @param options `after`: if omitted, from the oldest stored event; `limit`: the events read, of all kinds
 * @throws {MusterError} insufficient_scope, insufficient_role, invalid_request, cursor_expired
 */
export const listEvents = useCase(
  { scope: "events:read", role: "viewer" },
  async (
    { events }: Pick<LiveDeps, "events">,
    caller,
    { after, kinds, limit }: { after?: string | undefined; kinds: readonly string[]; limit: number },
  ): Promise<ListedEvents> => {
    requireKinds(caller, kinds);
    const { telemetry, events: from } = after
      ? parseLiveCursor(after)
      : { telemetry: "0", events: await events.cursorAtBeginning() };
    const page = await events.readEvents(caller.tenantId, from, limit, boundedToGroupsOf(caller));
    return {
      items: page.events.filter(({ kind }) => isWanted(kinds, kind)),
      cursor: toLiveCursor({ events: page.cursor, telemetry }),
      more: page.more === "ready",
    };
  },
);
