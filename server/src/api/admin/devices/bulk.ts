import { z } from "zod";
import { enrollmentUseCases } from "../../../enrollment/enrollment.ts";
import { records } from "../../../lib/limits/records.ts";
import { adminRoute } from "../../route.ts";

const ids = z.array(z.string().max(128)).max(records.groupsOfDevice.value).optional();

const change = z
  .strictObject({
    deviceTypeId: z.string().max(128).nullable().optional().meta({ description: "Null for no type. Admins only" }),
    addGroupIds: ids.meta({ description: "Admins only" }),
    removeGroupIds: ids.meta({ description: "Admins only" }),
    addThresholdIds: ids,
    removeThresholdIds: ids,
  })
  .meta({ id: "DeviceChange", description: "Absent fields stay unchanged" });

const outcome = z
  .strictObject({
    id: z.string(),
    outcome: z.enum(["done", "refused", "not_tried"]).meta({
      description:
        "`not_tried`: the request reached its time limit; send it again with these devices. Or the user was deactivated or got another role during the request",
    }),
    error: z.string().nullable().meta({ description: "The code of the refusal" }),
    message: z.string().nullable(),
  })
  .meta({ id: "DeviceOutcome" });

const count = z.int().min(0);

export const changeDevices = adminRoute({
  useCase: enrollmentUseCases.changeDevices,
  operationId: "changeDevices",
  method: "POST",
  path: "/api/admin/devices/bulk",
  tag: "Devices",
  summary: "Change many devices",
  description:
    "Changes type, groups or threshold packs of devices, revokes their certificates, or deletes them. Each device has its own transaction and audit entry, so a refused device does not affect the others. A tenant has one such request at a time. All acts except `change` are for admins and need a step-up.",
  body: z
    .strictObject({
      ids: z.array(z.string().max(128)).min(1).max(records.devicesOfChange.value),
      act: z.enum(["change", "revoke_certificates", "delete"]),
      change: change.optional().meta({ description: "Required with the act `change`, and only then" }),
    })
    .meta({ id: "BulkChange" }),
  status: 200,
  response: z
    .strictObject({ done: count, refused: count, notTried: count, items: z.array(outcome) })
    .meta({ id: "BulkOutcome", description: "One per device, in the order of `ids`" }),
  errors: [],
  examples: {
    body: { ids: ["pump-1", "pump-2"], act: "change", change: { removeThresholdIds: [] } },
    response: {
      done: 1,
      refused: 1,
      notTried: 0,
      items: [
        { id: "pump-1", outcome: "done", error: null, message: null },
        { id: "pump-2", outcome: "refused", error: "not_found", message: "There is no such device." },
      ],
    },
  },
  handler: async (caller, { body }, changeDevices) => {
    const ids = [...new Set(body.ids)];
    const outcomes = await changeDevices(caller, { ...body, ids });
    const items = ids.map((id, at) => ({ id, ...outcomes[at]! }));
    const ofKind = (kind: string) => items.filter(({ outcome }) => outcome === kind).length;
    return { done: ofKind("done"), refused: ofKind("refused"), notTried: ofKind("not_tried"), items };
  },
});
