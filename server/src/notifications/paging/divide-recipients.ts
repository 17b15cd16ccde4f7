import type { PersonRow } from "../personal/person-store.ts";
import { type Deferral, deferral } from "../quiet.ts";
import type { PersonalDuties } from "../roster/personal-duty.ts";
import { distinct, type PagedGroup, type Recipient } from "./recipients.ts";

/** A user whom a quiet choice keeps from being notified now. */
export interface DeferredRecipient {
  to: Recipient;
  deferred: Deferral;
}

/** The recipients of a step: the addresses to notify, and the users for whom the message is deferred. */
export interface Divided {
  notified: Recipient[];
  deferred: DeferredRecipient[];
}

/** The properties of a page on which its division depends. */
export interface DividedBy {
  severity: string;
  group: PagedGroup;
  /** The recipients that are users. */
  people: ReadonlyMap<string, PersonRow>;
  /** The duties at the same instant. */
  duties: PersonalDuties;
}

/**
 * Applies users' channels and quiet choices to the recipients of a step. Channels of the group are always notified.
 */
export function divideRecipients(
  recipients: readonly Recipient[],
  { severity, group, people, duties }: DividedBy,
  now: Date,
): Divided {
  const divided: Divided = { notified: [], deferred: [] };
  for (const to of recipients) {
    const person = to.userId === null ? undefined : people.get(to.userId);
    const duty = () => duties(group, to.userId!);
    const deferred = person && deferral(person, { severity, alwaysPages: group.alwaysPages, duty }, now);
    if (deferred) divided.deferred.push({ to, deferred });
    else divided.notified.push(...addressesOf(to, person));
  }
  return { ...divided, notified: distinct(divided.notified) };
}

/**
 * Returns a user's addresses: their own channels, and the account's address unless the user has opted out and has a
 * channel.
 */
export function addressesOf(to: Recipient, person: PersonRow | undefined): Recipient[] {
  if (!person) return [to];
  const own = person.channels.map(
    ({ type, target, failing }): Recipient => ({ ...to, channel: type, target, failing }),
  );
  return distinct(person.accountEmail || own.length === 0 ? [to, ...own] : own);
}

/** Returns the ids of all users of the groups. */
export function usersOf(groups: readonly PagedGroup[]): string[] {
  return groups.flatMap(({ members, shifts, overrides }) =>
    [...members, ...shifts.flatMap(({ users }) => users), ...overrides.flatMap(({ user }) => user ?? [])].map(
      ({ id }) => id,
    ),
  );
}
