import { useCase } from "../../access/access.ts";
import { inTransaction } from "../../db/transaction.ts";
import { type ChannelKind, checkTimes, DAYS_OF_WEEK } from "../../groups/groups.ts";
import { invalidRequest } from "../../lib/request-errors.ts";
import { type ChannelState, stateOf } from "../channels/channel-state.ts";
import type { NotificationsDeps } from "../deps.ts";
import { setChoices } from "./choices-store.ts";
import { considerDeferred } from "./deferred-store.ts";
import { listChannelRows } from "./own-channel-store.ts";
import { ownerOf } from "./own-channels.ts";
import { type NotificationChoices, type PersonRow, readPeople } from "./person-store.ts";

/** The caller's notification settings. */
export interface OwnNotifications extends NotificationChoices {
  /** The address of the account. */
  email: string;
  channels: OwnChannel[];
}

export interface OwnChannel {
  id: string;
  type: ChannelKind;
  target: string;
  state: ChannelState;
  requestedAt: Date | null;
  expiresAt: Date | null;
  confirmedAt: Date | null;
}

export const getOwnNotifications = useCase(
  { role: "viewer" },
  async ({ database: { db }, clock }: NotificationsDeps, caller): Promise<OwnNotifications> => {
    const owner = ownerOf(caller);
    const [people, rows] = await Promise.all([readPeople(db, [owner.userId]), listChannelRows(db, owner)]);
    const now = clock.now();
    const person = people.get(owner.userId)!;
    const channels = rows.map(({ requested_at, expires_at, confirmed_at, request_at, disabled_at, ...row }) => ({
      ...row,
      state: stateOf({ request_at, expires_at, confirmed_at }, disabled_at !== null, now),
      requestedAt: requested_at,
      expiresAt: expires_at,
      confirmedAt: confirmed_at,
    }));
    return { email: person.email, ...choicesOf(person), channels };
  },
);

/** Replaces the caller's choices, and sends messages that they no longer defer. @throws MusterError invalid_request */
export const setOwnNotifications = useCase(
  { role: "viewer" },
  async ({ database, clock }: NotificationsDeps, caller, given: NotificationChoices): Promise<NotificationChoices> => {
    const choices = { ...given, quietHours: given.quietHours && checkHours(given.quietHours) };
    const owner = ownerOf(caller);
    return await inTransaction(database.db, async (tx) => {
      await setChoices(tx, owner, choices);
      await considerDeferred(tx, owner.userId, clock.now());
      return choices;
    });
  },
);

function choicesOf({ accountEmail, quietHours, onlyOnShift, criticalToo }: PersonRow): NotificationChoices {
  return { accountEmail, quietHours, onlyOnShift, criticalToo };
}

/** Validates quiet hours. They end every day, so that deferred messages are always sent at some time. */
function checkHours(hours: NonNullable<NotificationChoices["quietHours"]>): NotificationChoices["quietHours"] {
  const { timeZone, startTime, endTime } = checkTimes({ ...hours, daysOfWeek: DAYS_OF_WEEK });
  if (startTime === endTime) throw invalidRequest("Quiet hours must begin and end at different times.", endTime);
  return { startTime, endTime, timeZone };
}
