import { z } from "zod";
import { enrollmentUseCases } from "../../../enrollment/enrollment.ts";
import { records } from "../../../lib/limits/records.ts";
import { adminRoute } from "../../route.ts";

const text = z.string().max(records.descriptionCharacters.value);

const row = z
  .strictObject({
    id: z.string().max(128).optional().meta({ description: "The device's id; an unknown one adds a device" }),
    hardwareFingerprint: z
      .string()
      .max(records.reportedCharacters.value)
      .optional()
      .meta({ description: "Finds a device that enrolled itself, for a row without `id`" }),
    name: text.optional(),
    description: text.optional(),
    deviceType: text.optional().meta({ description: "The id or the name of a device type. Admins only" }),
    groups: z
      .array(text)
      .max(records.groupsOfDevice.value)
      .optional()
      .meta({ description: "Ids or names of groups that the device joins. Admins only" }),
    metadata: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: "Fields that its metadata gets; other fields stay" }),
  })
  .meta({ id: "ImportRow", description: "Absent fields stay unchanged" });

const outcome = z
  .strictObject({
    outcome: z.enum(["created", "changed", "unchanged", "refused", "not_tried"]).meta({
      description: "`not_tried`: the request reached its time limit; send it again from this row",
    }),
    id: z.string().nullable().meta({ description: "The device; null if the row names none" }),
    nameBefore: z.string().nullable().meta({ description: "Null for a new device" }),
    error: z.string().nullable().meta({ description: "The code of the refusal" }),
    message: z.string().nullable(),
  })
  .meta({ id: "ImportOutcome" });

export const importDevices = adminRoute({
  useCase: enrollmentUseCases.importDevices,
  operationId: "importDevices",
  method: "POST",
  path: "/api/admin/devices/import",
  tag: "Devices",
  summary: "Import devices",
  description:
    "Adds or changes a device per row. Each has its own transaction and audit entry, so a refused row does not affect the others; repeating an import changes nothing. A preview checks the rows and writes nothing. A tenant has one such request at a time.",
  body: z
    .strictObject({
      preview: z.boolean().optional().meta({ description: "`false` by default" }),
      rows: z.array(row).min(1).max(records.devicesOfChange.value),
    })
    .meta({ id: "DeviceImport" }),
  status: 200,
  response: z
    .strictObject({ items: z.array(outcome) })
    .meta({ id: "ImportOutcomes", description: "One per row, in their order" }),
  errors: [],
  examples: {
    body: { preview: true, rows: [{ id: "pump-1", name: "Feed pump 1", metadata: { site: "Hall 3" } }] },
    response: {
      items: [{ outcome: "changed", id: "pump-1", nameBefore: "Pump", error: null, message: null }],
    },
  },
  handler: async (caller, { body }, importDevices) => {
    const outcomes = await importDevices(caller, body.rows, { preview: body.preview ?? false });
    return { items: outcomes.map((outcome, at) => ({ ...outcome, id: outcome.id ?? body.rows[at]?.id ?? null })) };
  },
});
