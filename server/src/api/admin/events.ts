import { z } from "zod";
import { DEFAULT_LIMITS } from "../../lib/limits/limits.ts";
import { liveUseCases } from "../../live/live.ts";
import { adminRoute } from "../route.ts";
import { EventStream } from "../stream/event-stream.ts";
import { EVENT_EXAMPLE, followedDevices, list, liveEvent, TELEMETRY } from "../v1/events.ts";

/** Every family of events, without telemetry. */
const EVENTS = ["anomaly.", "ticket.", "device.", "certificate.", "finding."];

export const followEvents = adminRoute({
  useCase: liveUseCases.follow,
  operationId: "followEvents",
  method: "GET",
  path: "/api/admin/events",
  tag: "Overview",
  summary: "Follow events",
  description: `A stream of server-sent events (\`text/event-stream\`). It begins with \`event: ready\`. Each message after that is an event that the user can see: \`data\` as below, and \`id\` the position to resume after, which the client sends as \`Last-Event-ID\` when it reconnects. \`event: reset\`: the events after that position have been deleted, and the stream continues from the present. \`event: end\` has a \`reason\`: \`session_ended\`, \`stopping\` or \`failed\`. A comment every 15 seconds keeps the stream open. A session has at most ${DEFAULT_LIMITS.streamsOfSession} streams.`,
  query: z.strictObject({
    kinds: list.optional().meta({
      type: "string",
      description: "Only these kinds, separated by commas; a kind that ends in `.` is a whole family. Absent: all",
    }),
    telemetry: followedDevices,
  }),
  status: 200,
  response: liveEvent,
  mediaType: "text/event-stream",
  errors: [],
  examples: { response: EVENT_EXAMPLE },
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

/** Returns the kinds without telemetry: a stream that names no device gets none, rather than all devices' telemetry. */
function withoutTelemetry(kinds: readonly string[]): string[] {
  return kinds.filter((kind) => !kind.startsWith(TELEMETRY));
}
