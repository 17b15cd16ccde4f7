import { z } from "zod";
import { METRIC_VALUE, NOTIFY, RULE_VALUE, SEVERITY } from "../named-shapes.ts";
import { id, nullableTimestamp, timestamp } from "../shapes.ts";
import type { Json, Schemas } from "./schemas.ts";

/** A message that webhooks get: the shape of its `data`, and an example. */
interface Payload {
  summary: string;
  data: z.ZodType;
  example: object;
}

export const MESSAGES_TAG = "Messages to webhooks";

const named = z.strictObject({ id, name: z.string() }).meta({ id: "NamedReference" });
const notifiedDevice = named
  .extend({ place: z.string().optional().meta({ description: "In its metadata: `place`, `location` or `site`" }) })
  .meta({ id: "NotifiedDevice" });
const user = z.strictObject({ email: z.string() }).meta({ id: "MessageUser" });
const AT = "2026-11-20T10:20:00.000Z";
const GROUP = { id: "0199c1c4-0000-7a11-9c22-5e6f7a8b9c0d", name: "Pump hall" };
const requestedBy = z.string().meta({ description: "`apikey:<id>`, `user:<id>` or `system`" });

const anomalyMessage = z
  .strictObject({
    group: named.meta({ description: "The group that is notified" }),
    device: notifiedDevice,
    anomaly: z
      .strictObject({
        id,
        severity: SEVERITY,
        message: z.string(),
        metric: z.string().nullable(),
        label: z.string().optional().meta({ description: "The metric's name for people, by the device's type" }),
        unit: z.string().optional().meta({ description: "The metric's unit, by the device's type" }),
        value: METRIC_VALUE,
        limit: RULE_VALUE,
        openedAt: timestamp,
        resolvedAt: nullableTimestamp,
        resolvedBy: z.string().nullable(),
      })
      .meta({ id: "NotifiedAnomaly" }),
  })
  .meta({ id: "AnomalyMessageData" });

const ANOMALY = {
  group: GROUP,
  device: { id: "pump-1", name: "Feed pump 1", place: "Hall 3" },
  anomaly: {
    id: "0199c1c7-3333-7a11-9c22-5e6f7a8b9c0d",
    severity: "major",
    message: "The bearing runs hot",
    metric: "temperature",
    label: "Bearing temperature",
    unit: "°C",
    value: 93.5,
    limit: 90,
    openedAt: AT,
    resolvedAt: null,
    resolvedBy: null,
  },
};

/** Every message that a webhook may get, by its type. */
export const PAYLOADS: Readonly<Record<string, Payload>> = {
  "anomaly.opened": { summary: "A page about an anomaly", data: anomalyMessage, example: ANOMALY },
  "anomaly.resolved": {
    summary: "An anomaly of which the receiver was told is over",
    data: anomalyMessage,
    example: {
      ...ANOMALY,
      anomaly: { ...ANOMALY.anomaly, resolvedAt: "2026-11-20T10:50:00.000Z", resolvedBy: "system" },
    },
  },
  "channel.confirmation": {
    summary: "The receiver is asked whether it wants messages: it answers with the challenge",
    data: z
      .strictObject({
        group: named.optional().meta({ description: "The group whose channel it is; absent for a user's own channel" }),
        user: user.optional().meta({ description: "The user whose own channel it is" }),
        challenge: z.string().meta({ description: 'To be answered, as text or as `{"challenge": "…"}`' }),
        confirmUrl: z.string().meta({ description: "A page that confirms the address instead" }),
        expiresAt: timestamp,
      })
      .meta({ id: "ConfirmationMessageData" }),
    example: {
      group: GROUP,
      challenge: "Qh3cKb8YdJmW0u1rTzX4vA",
      confirmUrl: "https://muster.example/confirm/Qh3cKb8YdJmW0u1rTzX4vA",
      expiresAt: "2026-11-23T10:20:00.000Z",
    },
  },
  "webhook.test": {
    summary: "A test of one webhook",
    data: z
      .strictObject({
        group: named,
        webhook: z.strictObject({ id: z.string() }).meta({ id: "MessageWebhook" }),
        requestedBy,
      })
      .meta({ id: "WebhookTestMessageData" }),
    example: {
      group: GROUP,
      webhook: { id: `${GROUP.id}-3f6d1c0a9b8e7d6c5b4a392817160504` },
      requestedBy: "apikey:0199c1c3-0000-7a11-9c22-5e6f7a8b9c0d",
    },
  },
  "group.test": {
    summary: "A test of all recipients of a group",
    data: z.strictObject({ group: named, notify: NOTIFY, requestedBy }).meta({ id: "GroupTestMessageData" }),
    example: { group: GROUP, notify: "channels", requestedBy: "user:0199c1c2-4a00-7c55-b1d2-3e4f5a6b7c8d" },
  },
  "duty.changed": {
    summary: "A duty of the user was taken by another, given back, or is offered; or an absence leaves duties",
    data: z
      .strictObject({
        group: named.nullable().meta({ description: "null for all groups of an absent user" }),
        duty: z
          .strictObject({
            change: z
              .enum(["offered", "taken", "ended", "absent", "present", "uncovered"])
              .meta({ id: "DutyChange", description: "uncovered: from startsAt on, an absence leaves nobody on duty" }),
            startsAt: timestamp,
            endsAt: timestamp,
            user: user.nullable().meta({
              description: "The user who takes it, or is absent; null if it is offered to everyone of the group",
            }),
            replaces: user.nullable().meta({ description: "The user whose duty it is; null for everybody on duty" }),
          })
          .meta({ id: "MessageDuty" }),
      })
      .meta({ id: "DutyChangedMessageData" }),
    example: {
      group: GROUP,
      duty: {
        change: "taken",
        startsAt: "2026-11-28T08:00:00.000Z",
        endsAt: "2026-11-28T20:00:00.000Z",
        user: { email: "bob@acme.example" },
        replaces: { email: "mia@acme.example" },
      },
    },
  },
  "duty.handed_over": {
    summary: "The duty of a group passed from some people to others; only by e-mail",
    data: z
      .strictObject({
        group: named,
        handOver: z.strictObject({ from: z.array(user), to: z.array(user) }).meta({ id: "MessageHandOver" }),
      })
      .meta({ id: "HandOverMessageData" }),
    example: { group: GROUP, handOver: { from: [{ email: "mia@acme.example" }], to: [{ email: "bob@acme.example" }] } },
  },
  "user.test": {
    summary: "A test of a user's own channels",
    data: z.strictObject({ user }).meta({ id: "UserTestMessageData" }),
    example: { user: { email: "mia@acme.example" } },
  },
};

/** Returns the shape of a message of this type, as it is sent. */
export function messageOf(type: string): z.ZodType {
  return z
    .strictObject({
      type: z.literal(type),
      timestamp: timestamp.meta({ description: "When its cause happened; the same for every attempt" }),
      data: PAYLOADS[type]!.data,
    })
    .meta({ id: `${pascal(type)}Message` });
}

/**
 * Returns the `webhooks` object of the public document: what the service sends to a webhook's address. It refers to
 * `pathItems`, since OpenAPI Generator 7.25 writes code that does not compile for a webhook that is inline.
 */
export function webhooks(schemas: Schemas): { webhooks: Json; pathItems: Json } {
  const types = Object.keys(PAYLOADS);
  const items = types.map((type) => [pascal(type), { post: receive(`receive${pascal(type)}`, type, schemas) }]);
  const references = types.map((type) => [type, { $ref: `#/components/pathItems/${pascal(type)}` }]);
  return { webhooks: Object.fromEntries(references), pathItems: Object.fromEntries(items) };
}

/**
 * Returns the same messages as `callbacks` of the operation that creates a webhook. Generators that omit the schemas of
 * no path would otherwise lose theirs, and still refer to them (oapi-codegen 2.8).
 */
export function callbacks(schemas: Schemas): Json {
  const entries = Object.keys(PAYLOADS).map((type) => {
    const post = receive(`send${pascal(type)}`, type, schemas);
    return [type, { "{$request.body#/url}": { post } }];
  });
  return Object.fromEntries(entries);
}

function receive(operationId: string, type: string, schemas: Schemas): Json {
  const { summary, example } = PAYLOADS[type]!;
  const content = { schema: schemas.of(messageOf(type), "answer"), example: { type, timestamp: AT, data: example } };
  return {
    operationId,
    tags: [MESSAGES_TAG],
    summary,
    description:
      "Signed as Standard Webhooks specifies, in the headers `webhook-id` (the same for every attempt), `webhook-timestamp` (seconds since 1970) and `webhook-signature` (`v1,` and the HMAC-SHA256 in base64; several are separated by spaces). Answer with any 2xx within ten seconds; everything else is retried. `410` disables the address.",
    security: [],
    requestBody: { required: true, content: { "application/json": content } },
    responses: {
      "2XX": { description: "Received" },
      "4XX": { description: "Not received; `410` disables the address" },
    },
  };
}

function pascal(type: string): string {
  return type.replaceAll(/(?:^|\.)(\w)/g, (_, first: string) => first.toUpperCase());
}
