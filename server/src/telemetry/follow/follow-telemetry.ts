import { boundedToGroupsOf, useCase } from "../../access/access.ts";
import type { Database } from "../../db/database.ts";
import { type Clock, SECOND } from "../../lib/clock.ts";
import { records } from "../../lib/limits/records.ts";
import type { Logger } from "../../lib/logger.ts";
import { startPollingLoop } from "../../lib/polling-loop.ts";
import { invalidRequest } from "../../lib/request-errors.ts";
import { type ChangePosition, currentPosition, type TelemetryChange } from "./changes.ts";
import { snapshotBefore } from "./snapshot.ts";
import type { TenantPolls } from "./tenant-polls.ts";

const CURSOR = /^\d{1,18}$/;
const MAX_DEVICES = records.followedDevices.value;

export interface FollowTelemetryOptions {
  /** The cursor after which to start. Defaults to future changes only. */
  after?: string | undefined;
  /** At most 500 ids. Defaults to all devices the caller may see; ids of other devices are ignored. */
  deviceIds?: readonly string[] | undefined;
}

export interface TelemetryFollower {
  /** The `after` cursor with which another follower can continue. */
  readonly cursor: string;
  /** Settles when the follower has ended. Rejects with the handler's error. */
  readonly ended: Promise<void>;
  /** Ends the follower, and resolves once the handler has finished. */
  stop(): Promise<void>;
}

/** Receives one second's changes, at least one, and the cursor after them. Called again only after it has resolved. */
export type TelemetryHandler = (changes: TelemetryChange[], cursor: string) => Promise<void> | void;

export interface FollowDeps {
  database: Pick<Database, "db">;
  clock: Clock;
  logger: Logger;
  tenantPolls: TenantPolls;
}

/**
 * Follows latest values, whichever process stores them. Once a second, the handler receives the newest value of
 * everything that changed. A slow or reconnecting follower receives current values and skips those in between.
 *
 * @throws MusterError invalid_request
 */
export const followTelemetry = useCase(
  { scope: "telemetry:read", role: "viewer" },
  async (
    { database, clock, logger, tenantPolls }: FollowDeps,
    caller,
    options: FollowTelemetryOptions,
    handler: TelemetryHandler,
  ): Promise<TelemetryFollower> => {
    const { after, deviceIds } = checked(options);
    const viewer = boundedToGroupsOf(caller);
    let position: ChangePosition =
      after === undefined ? await currentPosition(database.db) : { snapshot: snapshotBefore(after) };
    let started = after !== undefined;
    const { polls, leave } = tenantPolls.enter({ tenantId: caller.tenantId, viewer, deviceIds });
    if (!started) position = polls.position ?? polls.join(position);

    const loop = startPollingLoop(async (turn) => {
      if (started) {
        const page = await polls.poll(position).catch((error: Error) => {
          logger.warn({ err: error.message }, "could not read changed telemetry; trying again");
        });
        if (page === undefined || turn.stopped) return untilNextSecond(clock);
        if (page.changes.length > 0) await handler(page.changes, page.next.snapshot.xmin);
        position = polls.join(page.next);
      }
      started = true;
      return untilNextSecond(clock);
    });
    loop.ended.catch(() => undefined).finally(leave);
    return {
      get cursor() {
        return position.snapshot.xmin;
      },
      ended: loop.ended,
      stop: () => loop.stop(),
    };
  },
);

function checked(options: FollowTelemetryOptions): FollowTelemetryOptions {
  const { after, deviceIds } = options;
  if (after !== undefined && !CURSOR.test(after)) throw invalidRequest("not a telemetry cursor");
  if (deviceIds && deviceIds.length > MAX_DEVICES)
    throw invalidRequest(`at most ${MAX_DEVICES} devices can be selected`, "deviceIds");
  return options;
}

/** Returns the time until the next full second. All followers poll then, so that they can share queries. */
function untilNextSecond(clock: Clock): number {
  return SECOND - (clock.monotonicMs() % SECOND);
}
