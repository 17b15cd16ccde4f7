import { z } from "zod";

/** The shapes of a plant's description, from which the JSON Schema `openapi/plant.schema.json` is derived. */

const key = z
  .string()
  .min(1)
  .max(128)
  .meta({ description: "The stable key of the record, its `externalId`; the name by default" });
const keys = z.array(z.string().min(1).max(128));
const value = z.union([z.number(), z.boolean(), z.string(), z.tuple([z.number(), z.number()])]);

const limit = z.union([value, z.strictObject({ metadata: z.string(), default: z.number() })]);
const change = { overSeconds: z.int(), counter: z.boolean().optional() };
const condition = z.strictObject({
  metric: z.string(),
  operator: z.enum(["gt", "gte", "lt", "lte", "eq", "ne", "outside"]),
  value: limit,
  clearValue: limit.nullable().optional(),
  measure: z
    .discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("change"), ...change }),
      z.strictObject({ kind: z.literal("rate"), ...change, per: z.enum(["second", "minute", "hour"]) }),
      z.strictObject({ kind: z.literal("age") }),
      z.strictObject({ kind: z.literal("deviation"), days: z.int() }),
    ])
    .optional(),
});

const rule = condition.extend({
  and: z.array(condition).optional(),
  or: z.array(condition).optional(),
  forSeconds: z.int().optional(),
  clearForSeconds: z.int().optional(),
  severity: z.enum(["critical", "major", "minor", "warning"]),
  message: z.string().optional(),
});

const threshold = z.strictObject({
  key: key.optional(),
  name: z.string(),
  description: z.string().optional(),
  enabled: z.boolean().optional(),
  rules: z.array(rule),
});

const deviceType = z.strictObject({
  key: key.optional(),
  name: z.string(),
  publishTopics: z.array(z.string()),
  subscribeTopics: z.array(z.string()).optional(),
  thresholds: keys.optional().meta({ description: "Keys of threshold packs" }),
  silentForSeconds: z.int().nullable().optional(),
});

const shift = z.strictObject({
  key: key.optional(),
  name: z.string(),
  timeZone: z.string(),
  startTime: z.string(),
  endTime: z.string(),
  daysOfWeek: z.array(z.enum(["mon", "tue", "wed", "thu", "fri", "sat", "sun"])),
  userIds: z.array(z.string()).optional().meta({ description: "Those of all turns, or absent, if the shift rotates" }),
  layer: z.int().optional(),
  rotation: z
    .strictObject({
      unit: z.enum(["day", "week"]),
      every: z.int(),
      startDate: z.string(),
      handOverTime: z.string(),
      turns: z.array(z.array(z.string())),
    })
    .nullable()
    .optional(),
  validFrom: z.string().nullable().optional(),
  validUntil: z.string().nullable().optional(),
});

const group = z.strictObject({
  key: key.optional(),
  name: z.string(),
  description: z.string().optional(),
  memberUserIds: z.array(z.string()).optional(),
  channels: z
    .array(z.strictObject({ type: z.string(), target: z.string() }))
    .optional()
    .meta({ description: "Addresses and webhooks; a webhook's secret is read with `rotateWebhookSecret`" }),
  escalation: z
    .array(z.strictObject({ afterMinutes: z.int(), notify: z.enum(["shift", "members", "channels"]) }))
    .optional(),
  shifts: keys.optional().meta({ description: "Keys of shifts" }),
});

const device = z.strictObject({
  id: z.string().meta({ description: "The device's id, which is its key" }),
  name: z.string(),
  description: z.string().optional(),
  deviceType: key.nullable().optional().meta({ description: "The key of a device type" }),
  groups: keys.optional().meta({ description: "Keys of groups" }),
  thresholds: keys.optional().meta({ description: "Keys of threshold packs" }),
  metadata: z.record(z.string(), z.unknown()).optional(),
});

const mqttClient = z.strictObject({
  clientId: z.string().meta({ description: "The client's id, which is its key" }),
  username: z.string(),
  publish: z.array(z.string()).optional(),
  subscribe: z.array(z.string()).optional(),
});

export const plantFile = z
  .strictObject({
    thresholds: z.array(threshold).optional(),
    deviceTypes: z.array(deviceType).optional(),
    shifts: z.array(shift).optional(),
    groups: z.array(group).optional(),
    devices: z.array(device).optional(),
    mqttClients: z.array(mqttClient).optional(),
  })
  .meta({
    title: "Plant",
    description:
      "The configuration of a tenant, which `muster apply` creates. Absent sections and fields stay as they are",
  });

/** A plant's description. */
export type PlantFile = z.infer<typeof plantFile>;
