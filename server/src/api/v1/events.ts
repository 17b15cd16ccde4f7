import { z } from "zod";
import { DEFAULT_LIMITS } from "../../lib/limits/limits.ts";
import { liveUseCases } from "../../live/live.ts";
import { publicRoute } from "../route.ts";
import { cursor, id, strictLimit, timestamp } from "../shapes.ts";
import { EventStream } from "../stream/event-stream.ts";

const MOST_DEVICES = DEFAULT_LIMITS.streamDevices;
export const TELEMETRY = "telemetry.";

/** A list of values, separated by commas. */
export const list = z
  .string()
  .max(65 * MOST_DEVICES)
  .transform((text) => text.split(",").filter((each) => each !== ""));

export const followedDevices = list
  .pipe(z.array(z.string()).max(MOST_DEVICES))
  .optional()
  .meta({
    type: "string",
    description: `Ids of at most ${MOST_DEVICES} devices, separated by commas, whose changed latest values are sent as \`telemetry.changed\`, at most once per second and device`,
  });

export const liveEvent = z
  .strictObject({
    kind: z.string().meta({ description: "`anomaly.opened`, `device.online`, `telemetry.changed`, …" }),
    at: timestamp,
    deviceId: id.nullable(),
    data: z.record(z.string(), z.unknown()).meta({ description: "Ids and fields for display, depending on the kind" }),
  })
  .meta({ id: "LiveEvent" });

export const EVENT_EXAMPLE = {
  kind: "device.online",
  at: "2026-11-20T10:00:00.000Z",
  deviceId: "pump-1",
  data: { reason: null },
};

function kinds(families: readonly string[]) {
  const named = families.map((family) => `\`${family}.\``).join(", ");
  return list.pipe(z.array(z.string()).min(1)).meta({
    type: "string",
    description: `These kinds, separated by commas; a kind that ends in \`.\` is a whole family: ${named}`,
  });
}

const STORED_FAMILIES = ["anomaly", "ticket", "device", "certificate", "finding"];
/** The scopes that a key needs besides `events:read`, in words. */
const SCOPES_OF_KINDS =
  "the scopes that read the given `kinds`: `anomalies:read`, `tickets:read`, `devices:read`, and `device-certificates:read` for certificates and findings";

const query = z
  .strictObject({ kinds: kinds([...STORED_FAMILIES, "telemetry"]), telemetry: followedDevices })
  .refine(({ kinds, telemetry = [] }) => kinds.some(isTelemetry) === telemetry.length > 0, {
    message: "must name the devices if, and only if, `kinds` includes telemetry",
    path: ["telemetry"],
  });

function isTelemetry(kind: string): boolean {
  return kind.startsWith(TELEMETRY);
}

export const followEvents = publicRoute({
  useCase: liveUseCases.follow,
  operationId: "followEvents",
  method: "GET",
  path: "/api/v1/events",
  tag: "Events",
  summary: "Follow events",
  description: `A stream of server-sent events (\`text/event-stream\`), with the tenant's events in order. Besides its own scope it needs ${SCOPES_OF_KINDS}, and \`telemetry:read\` for telemetry.\n\nIt begins with \`event: ready\`. Each message after that is an event: \`data\` as below, and \`id\` the position to resume after; send it as \`Last-Event-ID\` to get the events since then. \`event: reset\`: the events after that position have been deleted, and the stream continues from the present. \`event: end\` has a \`reason\`: \`key_ended\`, \`stopping\` or \`failed\`. A comment every 15 seconds keeps the stream open. In each process of the service a key has at most ${DEFAULT_LIMITS.streamsOfKey} streams.`,
  query,
  status: 200,
  response: liveEvent,
  mediaType: "text/event-stream",
  errors: [],
  examples: { query: { kinds: "device.,anomaly." }, response: EVENT_EXAMPLE },
  handler: async (caller, { query: { kinds, telemetry = [] } }, follow) =>
    new EventStream((after, receive) => follow(caller, { after, kinds, telemetryOf: telemetry }, receive)),
});

const MOST_EVENTS = 200;

const eventPage = z
  .strictObject({
    items: z.array(liveEvent),
    cursor: z.string().meta({ description: "Send it as `cursor` to continue, now or later" }),
    more: z.boolean().meta({ description: "Whether more events can be read at once" }),
  })
  .meta({ id: "EventPage" });

export const listEvents = publicRoute({
  useCase: liveUseCases.listEvents,
  operationId: "listEvents",
  method: "GET",
  path: "/api/v1/events/history",
  tag: "Events",
  summary: "List events",
  description: `The events of the last 48 hours, oldest first, for programs that read them now and then. Besides its own scope it needs ${SCOPES_OF_KINDS}. Keep \`cursor\` and send it with the next request: each event is read exactly once. A page may be short or empty while \`more\` is true. The stream of events takes the same cursor as \`Last-Event-ID\`.`,
  query: z.strictObject({
    kinds: kinds(STORED_FAMILIES).refine((names) => !names.some(isTelemetry), "telemetry is not stored as events"),
    limit: strictLimit(100, MOST_EVENTS),
    cursor: cursor.max(60).optional(),
  }),
  status: 200,
  response: eventPage,
  errors: ["cursor_expired"],
  examples: {
    query: { kinds: "device.,anomaly." },
    response: { items: [EVENT_EXAMPLE], cursor: "48211.0.0", more: false },
  },
  handler: async (caller, { query: { cursor: after, ...query } }, listEvents) => {
    const { items, ...page } = await listEvents(caller, { ...query, after });
    return { items: items.map(({ cursor: _, ...event }) => event), ...page };
  },
});
