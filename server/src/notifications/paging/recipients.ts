import type { AlwaysPages, ChannelKind } from "../../groups/groups.ts";
import { type Person, presentAt, type Roster, rosterAt } from "../roster/roster.ts";

export type { Person } from "../roster/roster.ts";

export interface PagedChannel {
  type: ChannelKind;
  target: string;
  confirmed: boolean;
  disabled: boolean;
  failing: boolean;
}

/** The properties of a group that paging needs. Deactivated and deleted users are left out. */
export interface PagedGroup extends Roster {
  id: string;
  name: string;
  /** Unconfirmed channels, and webhooks that answered 410, are not used; failing ones are. */
  channels: PagedChannel[];
  escalation: { afterMinutes: number; notify: Notify }[];
  alwaysPages: AlwaysPages;
  members: Person[];
}

export type Notify = "shift" | "members" | "channels";

export interface Recipient {
  channel: ChannelKind;
  target: string;
  userId: string | null;
  timeZone: string;
  /** Whether the last attempt to send to the address failed. */
  failing: boolean;
}

/**
 * Returns the recipients of an escalation step at `now`, each address once. Empty if the group has no such people then.
 */
export function recipientsOf(notify: Notify, group: PagedGroup, now: Date): Recipient[] {
  const onDuty = rosterAt(group, now);
  const zone = (onDuty[0]?.shift ?? group.shifts[0])?.timeZone ?? "UTC";
  const mail = ({ id, email }: Person, timeZone: string): Recipient => ({
    channel: "email",
    target: email,
    userId: id,
    timeZone,
    failing: false,
  });
  switch (notify) {
    case "shift":
      return distinct(onDuty.flatMap(({ shift, users }) => users.map((user) => mail(user, shift.timeZone))));
    case "members":
      return distinct(presentAt(group.members, group.absences, now).map((user) => mail(user, zone)));
    case "channels":
      return distinct(
        usedChannels(group).map(({ type, target, failing }) => ({
          channel: type,
          target,
          userId: null,
          timeZone: zone,
          failing,
        })),
      );
  }
}

/** Returns the channels that receive messages. */
export function usedChannels({ channels }: PagedGroup): PagedGroup["channels"] {
  return channels.filter(({ confirmed, disabled }) => confirmed && !disabled);
}

/** Keeps each address once. A webhook is kept once per owner, since each owner signs with its own secret. */
export function distinct(recipients: Recipient[]): Recipient[] {
  const byAddress = new Map<string, Recipient>();
  for (const each of recipients) {
    const owner = each.channel === "webhook" ? (each.userId ?? "") : "";
    const key = `${each.channel} ${each.target.toLowerCase()} ${owner}`;
    if (!byAddress.has(key)) byAddress.set(key, each);
  }
  return [...byAddress.values()];
}
