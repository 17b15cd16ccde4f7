import type { Schemas } from "../api/client.ts";
import type { GroupChannel, Notify } from "../api/people/group-channels.ts";
import type { Group } from "../api/people/groups.ts";
import type { Shift } from "../api/people/shifts.ts";
import type { Tone } from "../ui/theme/tones.ts";

type Vocabulary<Value extends string> = Readonly<Record<Value, readonly [tone: Tone, label: string]>>;

export const CHANNEL_STATES: Vocabulary<GroupChannel["state"]> = {
  confirmed: ["good", "Confirmed"],
  requested: ["accent", "Waits for its receiver"],
  expired: ["warn", "Link expired"],
  waiting: ["neutral", "Link is being sent"],
  disabled: ["bad", "Gone (410)"],
};

export const TEST_STATES: Vocabulary<Schemas["TestMessage"]["state"]> = {
  pending: ["neutral", "On its way"],
  sent: ["good", "Sent"],
  failed: ["bad", "Failed"],
};

/** The receivers of a step of an escalation, in a sentence. */
export const NOTIFY: Readonly<Record<Notify, string>> = {
  shift: "who is on duty on its shifts",
  members: "all its members",
  channels: "its channels",
};

/** The pages of a group that quiet choices do not hold back. */
export const ALWAYS_PAGES: Readonly<Record<Group["alwaysPages"], string>> = {
  critical: "Critical pages are always sent",
  all: "All pages are always sent",
  none: "Users decide about all pages",
};

export const CHANNEL_TYPES: Readonly<Record<GroupChannel["type"], string>> = { email: "E-mail", webhook: "Webhook" };

type Day = Shift["daysOfWeek"][number];

export const DAYS: Readonly<Record<Day, string>> = {
  mon: "Mon",
  tue: "Tue",
  wed: "Wed",
  thu: "Thu",
  fri: "Fri",
  sat: "Sat",
  sun: "Sun",
};

const ORDER = Object.keys(DAYS) as Day[];

/** Returns `every day`, `Mon–Fri` or `Mon, Wed, Sat–Sun`: consecutive days as a range. */
export function daysText(days: readonly Day[]): string {
  if (days.length === ORDER.length) return "every day";
  const runs: Day[][] = [];
  for (const day of ORDER.filter((each) => days.includes(each))) {
    const run = runs.at(-1);
    if (run && ORDER.indexOf(run.at(-1)!) === ORDER.indexOf(day) - 1) run.push(day);
    else runs.push([day]);
  }
  return runs.map((run) => (run.length > 1 ? `${DAYS[run[0]!]}–${DAYS[run.at(-1)!]}` : DAYS[run[0]!])).join(", ");
}

/** Returns `at once`, `after 15 min` or `after 2 h`. */
export function afterText(minutes: number): string {
  if (minutes === 0) return "at once";
  return minutes % 60 === 0 ? `after ${minutes / 60} h` : `after ${minutes} min`;
}
