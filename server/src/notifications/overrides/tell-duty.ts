import type { Tx } from "../../db/database.ts";
import { acceptDeliveries } from "../cap/accept-deliveries.ts";
import type { NotificationsDeps } from "../deps.ts";
import type { DutyMessage } from "../message.ts";
import { addressesOf } from "../paging/divide-recipients.ts";
import type { PagedGroup } from "../paging/recipients.ts";
import { readPeople } from "../personal/person-store.ts";
import type { OverrideRecord } from "./override-record.ts";
import { activeUsers } from "./override-store.ts";

export interface DutyNews {
  tenantId: string;
  change: DutyMessage["duty"]["change"];
  /** `null` for all groups of the user. */
  group: PagedGroup | null;
  duty: Pick<OverrideRecord, "startsAt" | "endsAt" | "userId" | "replacesUserId">;
  /** The ids of the users to tell. */
  to: readonly string[];
}

/** Tells users about a change of a duty, by the channels at which they are paged. Quiet choices do not defer it. */
export async function tellDuty(deps: NotificationsDeps, tx: Tx, news: DutyNews, now: Date): Promise<void> {
  const { tenantId, group, duty } = news;
  const named = [duty.userId, duty.replacesUserId].flatMap((id) => id ?? []);
  const people = await readPeople(tx, [...named, ...news.to]);
  const active = await activeUsers(tx, tenantId, news.to);
  const emailOf = (id: string | null) => (id === null ? null : { email: people.get(id)!.email });
  const about = {
    change: news.change,
    startsAt: duty.startsAt.toISOString(),
    endsAt: duty.endsAt.toISOString(),
    user: emailOf(duty.userId),
    replaces: emailOf(duty.replacesUserId),
  };
  const zone = group?.shifts[0]?.timeZone ?? "UTC";
  const deliveries = [...active].flatMap(([userId, email]) => {
    const person = people.get(userId)!;
    const timeZone = person.quietHours?.timeZone ?? zone;
    const account = { channel: "email", target: email, userId, timeZone, failing: false } as const;
    const message = {
      type: "duty.changed",
      at: now.toISOString(),
      timeZone,
      group: group && { id: group.id, name: group.name },
      duty: about,
    } as const;
    return addressesOf(account, person).map(({ channel, target }) => ({
      id: deps.ids.uuid(now),
      ...{ tenantId, channel, target, userId, message, groupId: null, anomalyId: null, dedupe: null },
    }));
  });
  await acceptDeliveries(deps, tx, deliveries, now);
}
