import { z } from "zod";
import { notificationUseCases } from "../../../notifications/notifications.ts";
import { publicRoute } from "../../route.ts";
import { id, idParams, instant, page, strictPaging, timestamp } from "../../shapes.ts";

const TAG = "Shifts";

export const override = z
  .strictObject({
    id,
    groupId: id,
    startsAt: timestamp,
    endsAt: timestamp,
    userId: id
      .nullable()
      .meta({ description: "The user who takes the duty; null for an offer to everyone of the group" }),
    replacesUserId: id.nullable().meta({ description: "The user whose duty it is; null for everybody on duty" }),
    state: z
      .enum(["offered", "agreed"])
      .meta({ id: "OverrideState", description: "An offer changes nobody's duty until somebody agrees" }),
    createdAt: timestamp,
    createdBy: z.string(),
  })
  .meta({ id: "DutyOverride" });

export const OVERRIDE_EXAMPLE = {
  id: "0199c1c6-2b00-7d66-a3e4-5f6a7b8c9d12",
  groupId: "0199c1c4-0000-7a11-9c22-5e6f7a8b9c0d",
  startsAt: "2026-11-28T08:00:00.000Z",
  endsAt: "2026-11-28T20:00:00.000Z",
  userId: "0199c1c2-4a00-7c55-b1d2-3e4f5a6b7c8d",
  replacesUserId: null,
  state: "agreed" as const,
  createdAt: "2026-11-26T09:00:00.000Z",
  createdBy: "user:0199c1c2-4a00-7c55-b1d2-3e4f5a6b7c8d",
};

export const listOverrides = publicRoute({
  useCase: notificationUseCases.listOverrides,
  operationId: "listOverrides",
  method: "GET",
  path: "/api/v1/groups/{id}/overrides",
  tag: TAG,
  summary: "List overrides of duties",
  description: "The overrides and open offers of a group that have not ended, by start.",
  params: idParams,
  query: z.strictObject(strictPaging(50, 200)),
  status: 200,
  response: page(override),
  errors: ["not_found"],
  examples: { response: { items: [OVERRIDE_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { params, query }, listOverrides) => listOverrides(caller, params.id, query),
});

export const createOverride = publicRoute({
  useCase: notificationUseCases.createOverride,
  operationId: "createOverride",
  method: "POST",
  path: "/api/v1/groups/{id}/overrides",
  tag: TAG,
  summary: "Override duties",
  description:
    "For a time, a user takes the duty of another in the group, or of everybody. The hours of its shifts stay. Those concerned are told. `already_exists` names an override that overlaps.",
  params: idParams,
  body: z
    .strictObject({
      userId: id,
      replacesUserId: id.nullable().optional().meta({ description: "Everybody on duty by default" }),
      startsAt: instant.nullable().optional().meta({ description: "The time of the request by default" }),
      endsAt: instant,
    })
    .meta({ id: "DutyOverrideCreate" }),
  status: 201,
  response: override,
  errors: ["not_found", "already_exists"],
  examples: {
    body: { userId: OVERRIDE_EXAMPLE.userId, startsAt: OVERRIDE_EXAMPLE.startsAt, endsAt: OVERRIDE_EXAMPLE.endsAt },
    response: OVERRIDE_EXAMPLE,
  },
  handler: (caller, { params, body }, createOverride) => createOverride(caller, params.id, body),
});

export const deleteOverride = publicRoute({
  useCase: notificationUseCases.deleteOverride,
  operationId: "deleteOverride",
  method: "DELETE",
  path: "/api/v1/overrides/{id}",
  tag: TAG,
  summary: "End an override",
  description: "The usual people are on duty again. Those concerned are told.",
  params: idParams,
  status: 204,
  errors: ["not_found"],
  examples: {},
  handler: (caller, { params }, deleteOverride) => deleteOverride(caller, params.id),
});
