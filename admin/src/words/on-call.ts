import { t } from "#texts/words.ts";
import type { Schemas } from "../api/client.ts";
import type { GroupChannel, Notify } from "../api/people/group-channels.ts";
import type { Group } from "../api/people/groups.ts";
import type { Shift } from "../api/people/shifts.ts";
import { unitText } from "../texts/number-text.ts";
import type { Tone } from "../ui/theme/tones.ts";

type Vocabulary<Value extends string> = Readonly<Record<Value, readonly [tone: Tone, label: string]>>;

export const CHANNEL_STATES: Vocabulary<GroupChannel["state"]> = {
  confirmed: ["good", t.confirmed],
  requested: ["accent", t.waitsForItsReceiver],
  expired: ["warn", t.linkExpired],
  waiting: ["neutral", t.linkIsBeingSent],
  disabled: ["bad", t.gone410],
};

/** The reasons why nothing can be sent by a channel. */
export const OBSTACLES: Readonly<Record<NonNullable<GroupChannel["obstacle"]>, string>> = {
  no_mail_server: t.notSentNoMailServer,
};

export const TEST_STATES: Vocabulary<Schemas["TestMessage"]["state"]> = {
  pending: ["neutral", t.onItsWay],
  sent: ["good", t.sent],
  failed: ["bad", t.failed],
};

/** The people or channels that an escalation step pages, in a sentence. */
export const NOTIFY: Readonly<Record<Notify, string>> = {
  shift: t.whoIsOnDutyOn,
  members: t.allItsMembers,
  channels: t.itsChannels,
};

/** The pages of a group that quiet choices do not hold back. */
export const ALWAYS_PAGES: Readonly<Record<Group["alwaysPages"], string>> = {
  critical: t.criticalPagesAreAlwaysSent,
  all: t.allPagesAreAlwaysSent,
  none: t.usersDecideAboutAllPages,
};

export const CHANNEL_TYPES: Readonly<Record<GroupChannel["type"], string>> = {
  email: t.eMail,
  webhook: t.webhook,
  integration: t.chatOrPagingService,
};

type Day = Shift["daysOfWeek"][number];

export const DAYS: Readonly<Record<Day, string>> = {
  mon: t.mon,
  tue: t.tue,
  wed: t.wed,
  thu: t.thu,
  fri: t.fri,
  sat: t.sat,
  sun: t.sun,
};

const ORDER = Object.keys(DAYS) as Day[];

/** Returns `every day`, `Mon–Fri` or `Mon, Wed, Sat–Sun`: consecutive days as a range. */
export function daysText(days: readonly Day[]): string {
  if (days.length === ORDER.length) return t.everyDay;
  const runs: Day[][] = [];
  for (const day of ORDER.filter((each) => days.includes(each))) {
    const run = runs.at(-1);
    if (run && ORDER.indexOf(run.at(-1)!) === ORDER.indexOf(day) - 1) run.push(day);
    else runs.push([day]);
  }
  return runs.map((run) => (run.length > 1 ? `${DAYS[run[0]!]}–${DAYS[run.at(-1)!]}` : DAYS[run[0]!])).join(", ");
}

/** Returns `at once`, `after 15 minutes` or `after 2 hours`. */
export function afterText(minutes: number): string {
  if (minutes === 0) return t.atOnce;
  return t.after(minutes % 60 === 0 ? unitText(minutes / 60, "hour") : unitText(minutes, "minute"));
}
