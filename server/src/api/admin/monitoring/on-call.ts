import { z } from "zod";
import { notificationUseCases } from "../../../notifications/notifications.ts";
import { adminRoute } from "../../route.ts";
import { id, idParams, timestamp } from "../../shapes.ts";
import { COVERAGE, COVERAGE_EXAMPLE, coverage, span } from "../../v1/paging/coverage.ts";

const TAG = "On call";

export const duty = z
  .strictObject({
    groupId: id,
    shiftId: id,
    shiftName: z.string(),
    users: z
      .array(z.strictObject({ id, email: z.string() }))
      .meta({ description: "The active users on duty; none if all of them are deactivated or deleted" }),
    startsAt: timestamp,
    endsAt: timestamp,
  })
  .meta({ id: "Duty" });

const onCall = z
  .strictObject({
    now: z.array(duty),
    duties: z
      .array(duty)
      .meta({ description: "The full duties of the next seven days, in the order in which they begin" }),
    gaps: z.array(span).meta({
      description: "Uncovered periods of the next seven days: an anomaly that opens then has no recipient at any step",
    }),
  })
  .meta({ id: "OnCall" });

export const DUTY = {
  groupId: "0199c1c4-0000-7a11-9c22-5e6f7a8b9c0d",
  shiftId: "0199c1c6-2b00-7d66-a3e4-5f6a7b8c9d0e",
  shiftName: "Nights, week",
  users: [{ id: "0199c1c2-4a00-7c55-b1d2-3e4f5a6b7c8d", email: "ada@acme.example" }],
  startsAt: "2026-11-20T21:00:00.000Z",
  endsAt: "2026-11-21T05:00:00.000Z",
};
const ON_CALL = {
  now: [],
  duties: [DUTY],
  gaps: [{ from: "2026-11-20T10:00:00.000Z", to: "2026-11-20T21:00:00.000Z" }],
};

export const getGroupOnCall = adminRoute({
  useCase: notificationUseCases.onCallOfGroup,
  operationId: "getGroupOnCall",
  method: "GET",
  path: "/api/admin/groups/{id}/on-call",
  tag: TAG,
  summary: "Show who is on call for a group",
  description: "The users on call now and in the next seven days, with the uncovered hours.",
  params: idParams,
  status: 200,
  response: onCall,
  errors: ["not_found"],
  volatile: ["now", "duties", "gaps"],
  examples: { response: ON_CALL },
  handler: (caller, { params }, onCallOfGroup) => onCallOfGroup(caller, params.id),
});

export const getDeviceOnCall = adminRoute({
  useCase: notificationUseCases.onCallOfDevice,
  operationId: "getDeviceOnCall",
  method: "GET",
  path: "/api/admin/devices/{id}/on-call",
  tag: TAG,
  summary: "Show who is on call for a device",
  description: "The users on call for all its groups, now and in the next seven days.",
  params: idParams,
  status: 200,
  response: onCall,
  errors: ["not_found"],
  volatile: ["now", "duties", "gaps"],
  examples: { response: ON_CALL },
  handler: (caller, { params }, onCallOfDevice) => onCallOfDevice(caller, params.id),
});

export const listCoverage = adminRoute({
  useCase: notificationUseCases.listCoverage,
  operationId: "listCoverage",
  method: "GET",
  path: "/api/admin/coverage",
  tag: TAG,
  summary: "List groups with uncovered hours",
  description: COVERAGE,
  status: 200,
  response: coverage,
  errors: [],
  examples: { response: COVERAGE_EXAMPLE },
  handler: (caller, _input, listCoverage) => listCoverage(caller),
});
