import { boundedToGroupsOf, type Caller, useCase } from "../access/access.ts";
import { type EventHandler, type Events, isWanted, type Subscription, type TenantEvent } from "../events/events.ts";
import type { Telemetry, TelemetryChange, TelemetryFollower } from "../telemetry/telemetry.ts";
import { type LivePosition, parseLiveCursor, toLiveCursor } from "./cursor.ts";
import { requireKinds } from "./families.ts";

const TELEMETRY = "telemetry.changed";

export interface LiveOptions {
  /** The `cursor` of an event or a stream, after which to continue. If omitted, from now on. */
  after?: string | undefined;
  /** Only these kinds; a kind that ends in `.` is a whole family (`anomaly.`). If omitted, all. */
  kinds?: readonly string[] | undefined;
  /** The ids of the devices whose telemetry is followed. If omitted, all devices that the caller sees. */
  telemetryOf?: readonly string[] | undefined;
}

/** A change of a device's latest values. */
export interface TelemetryChanged {
  cursor: string;
  at: Date;
  kind: typeof TELEMETRY;
  deviceId: string;
  data: { values: TelemetryChange["values"] };
}

export type LiveEvent = TenantEvent | TelemetryChanged;

export interface LiveDeps {
  events: Events;
  telemetry: Pick<Telemetry, "followTelemetry">;
  /** The streams that have not ended. */
  streams: Set<Subscription>;
}

/**
 * Follows the events of the caller's tenant and the telemetry of its devices as one stream with one cursor. The handler
 * receives one batch at a time: every event once and in order and, at most once per second and device, the changed
 * latest values as `telemetry.changed`.
 *
 * An API key always needs `events:read`; each family of events also needs its own scope.
 *
 * @throws {MusterError} insufficient_scope, insufficient_role, invalid_request; `ended` rejects with cursor_expired
 */
export const follow = useCase(
  { scope: "events:read", role: "viewer" },
  async (deps: LiveDeps, caller, options: LiveOptions, handler: EventHandler<LiveEvent>): Promise<Subscription> => {
    requireKinds(caller, options.kinds);
    const stream = await openStream(deps, caller, options, handler);
    deps.streams.add(stream);
    stream.ended.catch(() => undefined).finally(() => deps.streams.delete(stream));
    return stream;
  },
);

async function openStream(
  { events, telemetry }: LiveDeps,
  caller: Caller,
  { after, kinds, telemetryOf }: LiveOptions,
  handler: EventHandler<LiveEvent>,
): Promise<Subscription> {
  const resumed = after === undefined ? undefined : parseLiveCursor(after);
  const start: LivePosition = resumed ?? { events: await events.cursorNow(), telemetry: "0" };
  let subscription: Subscription | undefined;
  let follower: TelemetryFollower | undefined;
  const position = (): LivePosition => ({
    events: subscription?.cursor ?? start.events,
    telemetry: follower?.cursor ?? start.telemetry,
  });
  const inOrder = createQueue();

  if (isWanted(kinds, TELEMETRY)) {
    const options = { after: resumed?.telemetry, deviceIds: telemetryOf };
    follower = await telemetry.followTelemetry(caller, options, (changes, next) =>
      inOrder(() => handler(telemetryEvents(changes, position(), next))),
    );
  }
  const stop = async () => {
    await Promise.all([subscription?.stop(), follower?.stop()]);
  };
  try {
    const options = { after: start.events, kinds, viewer: boundedToGroupsOf(caller) };
    subscription = await events.subscribe(caller.tenantId, options, (batch) =>
      inOrder(() => handler(batch.map((event) => withCursor(event, { ...position(), events: event.cursor })))),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  const ended = Promise.all([subscription.ended, follower?.ended]).then(() => undefined);
  ended.catch(stop);
  return {
    get cursor() {
      return toLiveCursor(position());
    },
    ended,
    stop,
  };
}

function withCursor(event: TenantEvent, position: LivePosition): TenantEvent {
  return { ...event, cursor: toLiveCursor(position) };
}

/**
 * Converts telemetry changes to events. Only the last event's cursor is after all of them: a client that has read only
 * some receives the others again.
 */
function telemetryEvents(
  changes: readonly TelemetryChange[],
  position: LivePosition,
  next: string,
): TelemetryChanged[] {
  const last = changes.at(-1);
  return changes.map((change) => ({
    cursor: toLiveCursor(change === last ? { ...position, telemetry: next } : position),
    at: change.values.reduce((at, { receivedAt }) => (receivedAt > at ? receivedAt : at), change.values[0]!.receivedAt),
    kind: TELEMETRY,
    deviceId: change.deviceId,
    data: { values: change.values },
  }));
}

/** Creates a queue that runs jobs one at a time. After a failed job, no further one runs. */
function createQueue(): (job: () => Promise<void> | void) => Promise<void> {
  let last = Promise.resolve();
  return (job) => {
    last = last.then(job);
    return last;
  };
}
