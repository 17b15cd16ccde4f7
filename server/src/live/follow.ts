import { boundedToGroupsOf, type Caller } from "../access/access.ts";
import { type EventHandler, type Events, isWanted, type Subscription, type TenantEvent } from "../events/events.ts";
import type { Telemetry, TelemetryChange, TelemetryFollower } from "../telemetry/telemetry.ts";
import { fromLiveCursor, type LivePlace, toLiveCursor } from "./cursor.ts";
import { requireKinds } from "./families.ts";

const TELEMETRY = "telemetry.changed";

export interface LiveOptions {
  /** The `cursor` of an event, or of a subscription: goes on behind it. From now on when left out. */
  after?: string | undefined;
  /** Only these kinds; a kind that ends in `.` is a whole family (`anomaly.`). All when left out. */
  kinds?: readonly string[] | undefined;
  /** Of whose telemetry, by their ids: all devices the caller sees when left out. */
  telemetryOf?: readonly string[] | undefined;
}

export type LiveDeps = { events: Events; telemetry: Pick<Telemetry, "followTelemetry"> };

/**
 * What happens in the caller's tenant and what its devices say, as one stream with one cursor, one batch at a time: every
 * event once and in order, and as `telemetry.changed` the latest values of a device that have changed, at most once a second.
 *
 * @throws MusterError insufficient_scope, invalid_request; `ended` rejects with cursor_expired
 */
export async function follow(
  { events, telemetry }: LiveDeps,
  caller: Caller,
  { after, kinds, telemetryOf }: LiveOptions,
  handler: EventHandler,
): Promise<Subscription> {
  requireKinds(caller, kinds);
  const begun = after === undefined ? undefined : fromLiveCursor(after);
  const start: LivePlace = begun ?? { events: await events.cursorNow(), telemetry: "0" };
  let durable: Subscription | undefined;
  let follower: TelemetryFollower | undefined;
  const place = (): LivePlace => ({
    events: durable?.cursor ?? start.events,
    telemetry: follower?.cursor ?? start.telemetry,
  });
  const inTurn = takingTurns();

  if (isWanted(kinds, TELEMETRY)) {
    const options = { after: begun?.telemetry, deviceIds: telemetryOf };
    follower = await telemetry.followTelemetry(caller, options, (changes, next) =>
      inTurn(() => handler(telemetryEvents(changes, place(), next))),
    );
  }
  const stop = async () => {
    await Promise.all([durable?.stop(), follower?.stop()]);
  };
  try {
    const options = { after: start.events, kinds, boundedTo: boundedToGroupsOf(caller) };
    durable = await events.subscribe(caller.tenantId, options, (batch) =>
      inTurn(() => handler(batch.map((event) => at(event, { ...place(), events: event.cursor })))),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  const ended = Promise.all([durable.ended, follower?.ended]).then(() => undefined);
  ended.catch(stop);
  return {
    get cursor() {
      return toLiveCursor(place());
    },
    ended,
    stop,
  };
}

function at(event: TenantEvent, place: LivePlace): TenantEvent {
  return { ...event, cursor: toLiveCursor(place) };
}

/** Only the last one goes on behind all of them: who has read a part of them is told the others again. */
function telemetryEvents(changes: readonly TelemetryChange[], place: LivePlace, next: string): TenantEvent[] {
  const last = changes.at(-1);
  return changes.map((change) => ({
    cursor: toLiveCursor(change === last ? { ...place, telemetry: next } : place),
    at: change.values.reduce((at, { receivedAt }) => (receivedAt > at ? receivedAt : at), change.values[0]!.receivedAt),
    kind: TELEMETRY,
    deviceId: change.deviceId,
    data: { values: change.values },
  }));
}

/** One job after the other; after one that failed none is done any more. */
function takingTurns(): (job: () => Promise<void> | void) => Promise<void> {
  let turn = Promise.resolve();
  return (job) => {
    turn = turn.then(job);
    return turn;
  };
}
