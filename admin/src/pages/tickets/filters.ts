import { common } from "#texts/common.ts";
import { withinSentence } from "#texts/language.ts";
import { t } from "#texts/pages/tickets.ts";
import type { TicketQuery } from "../../api/monitoring/tickets.ts";
import { nameOfPerson, type Person } from "../../api/people/people.ts";
import { filled } from "../../api/queries.ts";
import { negatable } from "../../parts/filter-values.ts";
import type { ListState } from "../../parts/url-state.ts";
import type { Filter } from "../../ui/ui.ts";
import { choicesOf } from "../../words/devices.ts";
import { PRIORITIES, TICKET_STATUSES, TICKET_TYPES } from "../../words/monitoring.ts";

const PAGE = 50;
export const UNFINISHED = "open,in_progress,on_hold";

interface Choices {
  me: string;
  people: readonly Person[];
  groups: readonly { id: string; name: string }[];
}

/** Returns the filters of tickets. On the board, the columns replace the filter for states. */
export function ticketFilters({ me, people, groups }: Choices, isBoard: boolean): readonly Filter[] {
  const others = people.filter(({ id }) => id !== me).map((person) => [person.id, nameOfPerson(person)] as const);
  const types = Object.entries(TICKET_TYPES).map(([type, label]) => [type, withinSentence(label)] as const);
  const status: Filter = {
    kind: "choice",
    name: "status",
    label: common.state,
    options: [[UNFINISHED, "unfinished"], ...choicesOf(TICKET_STATUSES)],
  };
  return [
    { kind: "text", name: "q", label: t.titleOrNumber, placeholder: t.bearing, maxLength: 200 },
    ...(isBoard ? [] : [status]),
    { kind: "choice", name: "priority", label: t.priority, options: choicesOf(PRIORITIES), not: true },
    {
      kind: "choice",
      name: "assigneeUserId",
      label: t.assignedTo,
      options: [[me, t.me], ["none", t.unassigned], ...others],
    },
    {
      kind: "choice",
      name: "groupId",
      label: common.group,
      options: [...groups.map(({ id, name }) => [id, name] as const), ["none", common.none]],
    },
    { kind: "choice", name: "type", label: common.type, options: types, not: true },
    { kind: "choice", name: "overdue", label: t.due, options: [["true", "overdue"]] },
    { kind: "text", name: "deviceId", label: common.deviceId, placeholder: t.pump1, maxLength: 64 },
  ];
}

/** Returns the filters of the API for the state of the address. */
export function filtersIn({ q, assigneeUserId, groupId, deviceId, overdue, ...values }: ListState["values"]) {
  const narrowed = negatable(values, "priority", "type");
  return filled({ ...narrowed, q, assigneeUserId, groupId, overdue, deviceId: deviceId?.trim() }) as TicketQuery;
}

export function queryOf({ values, sort, skip }: Pick<ListState, "values" | "sort" | "skip">): TicketQuery {
  return { ...filtersIn(values), ...filled({ status: values.status, sort }), skip, limit: PAGE } as TicketQuery;
}
