import { boundedToGroupsOf, type Caller, requireScope } from "../../access/access.ts";
import type { Database } from "../../db/database.ts";
import { type Clock, SECOND } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import { startPollingLoop } from "../../lib/polling-loop.ts";
import { invalidRequest } from "../../lib/request-errors.ts";
import { createSharedLook, type SharedLook } from "./poll-coalescer.ts";
import { allBefore } from "./snapshot.ts";
import { changedTelemetry, placeNow, type TelemetryChange, type TelemetryPlace } from "./telemetry-changes.ts";

const CURSOR = /^\d{1,18}$/;
const MOST_DEVICES = 500;

export interface FollowTelemetryOptions {
  /** Begins with what has changed since this cursor; with what changes from now on when left out. */
  after?: string | undefined;
  /** At most 500 ids; all devices that the caller sees when left out. Ids of others tell nothing. */
  deviceIds?: readonly string[] | undefined;
}

export interface TelemetryFollower {
  /** What to go on from another time. */
  readonly cursor: string;
  /** Settles when it has ended: rejects with what the handler threw. */
  readonly ended: Promise<void>;
  /** Ends it; resolves when the handler is not running any more. */
  stop(): Promise<void>;
}

/** Is given the changes of a second, at least one, and the cursor behind them; the next come when it has resolved. */
export type TelemetryHandler = (changes: TelemetryChange[], cursor: string) => Promise<void> | void;

export type FollowTelemetry = (
  caller: Caller,
  options: FollowTelemetryOptions,
  handler: TelemetryHandler,
) => Promise<TelemetryFollower>;

type Deps = { database: Pick<Database, "db">; clock: Clock; logger: Logger };

/**
 * Follows latest values, whichever process stores them: once a second those that have changed, each at its newest. Who falls
 * behind or comes back is told how things are now, not how they came to be so.
 */
export function createFollowTelemetry({ database: { db }, clock, logger }: Deps): FollowTelemetry {
  /** By tenant: those who follow all of its devices. */
  const companies = new Map<string, { shared: SharedLook; followers: number }>();

  function enter(caller: Caller, deviceIds: readonly string[] | undefined) {
    const { tenantId } = caller;
    const boundedTo = boundedToGroupsOf(caller);
    const shared = createSharedLook((place) => changedTelemetry(db, { tenantId, boundedTo, deviceIds }, place));
    if (boundedTo !== undefined || deviceIds !== undefined) return { shared, leave: () => undefined };
    const company = companies.get(tenantId) ?? { shared, followers: 0 };
    company.followers++;
    companies.set(tenantId, company);
    const leave = () => {
      if (--company.followers === 0) companies.delete(tenantId);
    };
    return { shared: company.shared, leave };
  }

  /** Everybody looks at the same moment, so that they can look together. */
  const untilNextSecond = () => SECOND - (clock.monotonicMs() % SECOND);

  return async function followTelemetry(caller, { after, deviceIds }, handler) {
    requireScope(caller, "devices:read");
    if (after !== undefined && !CURSOR.test(after)) throw invalidRequest("this is not a cursor of telemetry");
    if (deviceIds && deviceIds.length > MOST_DEVICES)
      throw invalidRequest(`at most ${MOST_DEVICES} devices can be named`, "deviceIds");
    let place: TelemetryPlace = after === undefined ? await placeNow(db) : { seen: allBefore(after) };
    let begun = after !== undefined;
    const { shared, leave } = enter(caller, deviceIds);
    if (!begun) place = shared.place ?? shared.join(place);

    const following = startPollingLoop(async (loop) => {
      if (begun) {
        const page = await shared.look(place).catch((error: Error) => {
          logger.warn({ err: error.message }, "could not read changed telemetry; trying again");
        });
        if (page === undefined || loop.stopped) return untilNextSecond();
        if (page.changes.length > 0) await handler(page.changes, page.next.seen.oldest);
        place = shared.join(page.next);
      }
      begun = true;
      return untilNextSecond();
    });
    following.ended.catch(() => undefined).finally(leave);
    return {
      get cursor() {
        return place.seen.oldest;
      },
      ended: following.ended,
      stop: () => following.stop(),
    };
  };
}
