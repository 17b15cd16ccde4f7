import { z } from "zod";
import { DEFAULT_LIMITS } from "../../lib/limits/limits.ts";
import { liveUseCases } from "../../live/live.ts";
import { adminRoute } from "../route.ts";
import { id, timestamp } from "../shapes.ts";
import { EventStream } from "../stream/event-stream.ts";

const MOST_DEVICES = DEFAULT_LIMITS.streamDevices;
/** Every family of events, without telemetry. */
const EVENTS = ["anomaly.", "ticket.", "device.", "certificate.", "finding."];
const TELEMETRY = "telemetry.";

/** A list of values, separated by commas. */
const list = z
  .string()
  .max(65 * MOST_DEVICES)
  .transform((text) => text.split(",").filter((each) => each !== ""));

const liveEvent = z
  .strictObject({
    kind: z.string().meta({ description: "`anomaly.opened`, `device.online`, `telemetry.changed`, …" }),
    at: timestamp,
    deviceId: id.nullable(),
    data: z.record(z.string(), z.unknown()).meta({ description: "Ids and fields that a screen shows, by kind" }),
  })
  .meta({ id: "LiveEvent" });

export const followEvents = adminRoute({
  useCase: liveUseCases.follow,
  operationId: "followEvents",
  method: "GET",
  path: "/api/admin/events",
  tag: "Overview",
  summary: "Follow events",
  description: `A stream of server-sent events (\`text/event-stream\`). It begins with \`event: ready\`. Then each message is an event of what the user sees: \`data\` as below, \`id\` the place to continue after, which the client sends as \`Last-Event-ID\` when it connects again. \`event: reset\`: the events after that place have been deleted, and the stream goes on from the present. \`event: end\` with a \`reason\`: \`session_ended\`, \`stopping\` or \`failed\`. A comment every 15 seconds keeps it open. A session has at most ${DEFAULT_LIMITS.streamsOfSession} streams.`,
  query: z.strictObject({
    kinds: list.optional().meta({
      type: "string",
      description: "Only these kinds, separated by commas; a kind that ends in `.` is a whole family. Absent: all",
    }),
    telemetry: list
      .pipe(z.array(z.string()).max(MOST_DEVICES))
      .optional()
      .meta({
        type: "string",
        description: `Ids of at most ${MOST_DEVICES} devices, separated by commas, whose changed latest values are sent as \`telemetry.changed\`, at most once a second a device`,
      }),
  }),
  status: 200,
  response: liveEvent,
  mediaType: "text/event-stream",
  errors: [],
  examples: {
    response: { kind: "device.online", at: "2026-11-20T10:00:00.000Z", deviceId: "pump-1", data: { reason: null } },
  },
  handler: async (caller, { query }, follow) =>
    new EventStream((after, receive) => {
      const telemetryOf = query.telemetry ?? [];
      const families = telemetryOf.length > 0 ? [...EVENTS, TELEMETRY] : EVENTS;
      const kinds = query.kinds ?? families;
      return follow(
        caller,
        { after, kinds: telemetryOf.length > 0 ? kinds : withoutTelemetry(kinds), telemetryOf },
        receive,
      );
    }),
});

/** Without devices no telemetry is sent, rather than that of all. */
function withoutTelemetry(kinds: readonly string[]): string[] {
  return kinds.filter((kind) => !kind.startsWith(TELEMETRY));
}
