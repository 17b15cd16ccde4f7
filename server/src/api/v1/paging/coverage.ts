import { z } from "zod";
import { notificationUseCases } from "../../../notifications/notifications.ts";
import { publicRoute } from "../../route.ts";
import { id, timestamp } from "../../shapes.ts";

export const span = z.strictObject({ from: timestamp, to: timestamp }).meta({ id: "TimeSpan" });

export const coverage = z
  .strictObject({
    items: z.array(
      z
        .strictObject({
          groupId: id,
          name: z.string(),
          hours: z.number().min(0).meta({ description: "Uncovered hours in the next seven days" }),
          from: timestamp.meta({ description: "When the first of them begins" }),
          gaps: z.array(span).meta({ description: "The uncovered periods, in order" }),
        })
        .meta({ id: "UncoveredGroup" }),
    ),
    groups: z.int().min(0).meta({ description: "The number of evaluated groups, which are the newest" }),
    more: z.boolean().meta({ description: "Whether more groups with an escalation exist that were not evaluated" }),
  })
  .meta({ id: "Coverage" });

export const COVERAGE =
  "The groups visible to the caller whose escalation has no recipient at some time in the next seven days. Groups without an escalation send no pages and are not listed.";

export const COVERAGE_EXAMPLE = {
  items: [
    {
      groupId: "0199c1c4-0000-7a11-9c22-5e6f7a8b9c0d",
      name: "Pump hall",
      hours: 71.5,
      from: "2026-11-20T10:00:00.000Z",
      gaps: [{ from: "2026-11-20T10:00:00.000Z", to: "2026-11-23T09:30:00.000Z" }],
    },
  ],
  groups: 4,
  more: false,
};

export const listCoverage = publicRoute({
  useCase: notificationUseCases.listCoverage,
  operationId: "listCoverage",
  method: "GET",
  path: "/api/v1/coverage",
  tag: "Shifts",
  summary: "List groups with uncovered hours",
  description: COVERAGE,
  status: 200,
  response: coverage,
  errors: [],
  examples: { response: COVERAGE_EXAMPLE },
  handler: (caller, _input, listCoverage) => listCoverage(caller),
});
