import { z } from "zod";
import { connectionUseCases, TRACE_KINDS } from "../../connections/connections.ts";
import { adminRoute } from "../route.ts";
import { nullableTimestamp, timestamp } from "../shapes.ts";

const TAG = "MQTT clients";

const params = z.strictObject({
  clientId: z.string().min(1).max(256).meta({ description: "Client id of an MQTT client, or id of a device" }),
});

const entry = z
  .strictObject({
    id: z.string(),
    at: timestamp,
    kind: z.enum(TRACE_KINDS),
    topic: z.string().nullable().meta({ description: "Topic of a message, or filter of a subscription" }),
    bytes: z.int().nullable().meta({ description: "Length of the payload" }),
    detail: z.string().nullable().meta({
      description:
        "`connected`: the address. `disconnected`: the reason. `not_stored`, `partly_stored`: why. `omitted`: how many entries of a second",
    }),
  })
  .meta({ id: "ClientTraceEntry" });

const trace = z
  .strictObject({ startedAt: nullableTimestamp, endsAt: nullableTimestamp, entries: z.array(entry) })
  .meta({ id: "ClientTrace" });

const EXAMPLE = {
  startedAt: "2026-11-27T10:00:00.000Z",
  endsAt: "2026-11-27T10:05:00.000Z",
  entries: [
    {
      id: "8",
      at: "2026-11-27T10:00:07.000Z",
      kind: "published",
      topic: "t/acme/telemetry/pump-1",
      bytes: 34,
      detail: null,
    },
    { id: "7", at: "2026-11-27T10:00:06.000Z", kind: "connected", topic: null, bytes: null, detail: "203.0.113.9" },
  ],
} as const;

export const startClientTrace = adminRoute({
  useCase: connectionUseCases.startTrace,
  operationId: "startClientTrace",
  method: "POST",
  path: "/api/admin/clients/{clientId}/trace",
  tag: TAG,
  summary: "Trace a client",
  description:
    "Records for five minutes what a device or MQTT client sends, receives and is refused: topics and lengths, never payloads. Its former trace is deleted.",
  params,
  status: 201,
  response: trace,
  errors: ["not_found", "quota_exceeded"],
  examples: { response: { ...EXAMPLE, entries: [] } },
  handler: (caller, { params }, startTrace) => startTrace(caller, params.clientId),
});

export const readClientTrace = adminRoute({
  useCase: connectionUseCases.readTrace,
  operationId: "readClientTrace",
  method: "GET",
  path: "/api/admin/clients/{clientId}/trace",
  tag: TAG,
  summary: "Read a client's trace",
  description:
    "The newest entries of the last trace, the newest first; no times and no entries if there is none. A trace is deleted an hour after its end.",
  params,
  status: 200,
  response: trace,
  errors: [],
  examples: { response: EXAMPLE },
  handler: (caller, { params }, readTrace) => readTrace(caller, params.clientId),
});
