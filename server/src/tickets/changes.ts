import type { TicketHistoryTable } from "../db/schema.generated.ts";
import type { TicketFields } from "./ticket-record.ts";

/** The old and the new value of each changed field, with times in ISO 8601. */
export type Changes = TicketHistoryTable["changes"];

const FIELDS: readonly (keyof TicketFields)[] = [
  "title",
  "description",
  "type",
  "priority",
  "status",
  "deviceId",
  "anomalyId",
  "groupId",
  "assigneeUserId",
  "dueAt",
  "resolution",
];

/** Returns the fields that differ; for a new ticket, the fields that are not empty. */
export function changesBetween(before: TicketFields | undefined, after: TicketFields): Changes {
  const changes: Changes = {};
  for (const field of FIELDS) {
    const [from, to] = [plain(before?.[field] ?? null), plain(after[field])];
    if (from !== to && !(before === undefined && to === "")) changes[field] = { from, to };
  }
  return changes;
}

function plain(value: TicketFields[keyof TicketFields]): string | null {
  return value instanceof Date ? value.toISOString() : value;
}
