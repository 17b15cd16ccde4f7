import type { DeviceQuery } from "../../api/devices.ts";
import { filled } from "../../api/queries.ts";
import { instantOf, negatable } from "../../parts/filter-values.ts";
import type { ListState } from "../../parts/url-state.ts";
import type { Filter } from "../../ui/input/filters.tsx";
import { CERTIFICATE_STATES, CONNECTIVITY, choicesOf } from "../../words/devices.ts";

const PAGE = 50;

interface Named {
  readonly id: string;
  readonly name: string;
}

/** What the list of devices can be narrowed by. */
export function deviceFilters(
  types: readonly Named[],
  groups: readonly Named[],
  packs: readonly Named[],
): readonly Filter[] {
  return [
    { kind: "text", name: "q", label: "Name or device id", placeholder: "pump", maxLength: 128 },
    { kind: "choice", name: "connectivity", label: "Connection", options: choicesOf(CONNECTIVITY), not: true },
    {
      kind: "choice",
      name: "certificateState",
      label: "Certificate",
      options: choicesOf(CERTIFICATE_STATES),
      not: true,
    },
    { kind: "choice", name: "deviceTypeId", label: "Type", options: choicesWithNone(types), not: true },
    { kind: "choice", name: "groupId", label: "Group", options: choicesWithNone(groups), not: true },
    {
      kind: "choice",
      name: "thresholdId",
      label: "Threshold pack",
      options: packs.map(({ id, name }) => [id, name]),
      not: true,
    },
    { kind: "time", name: "createdFrom", label: "Created from" },
    { kind: "time", name: "createdBefore", label: "Created before" },
    { kind: "time", name: "seenFrom", label: "Last seen from" },
    { kind: "time", name: "seenBefore", label: "Last seen before" },
  ];
}

function choicesWithNone(records: readonly Named[]): readonly (readonly [value: string, label: string])[] {
  return [...records.map(({ id, name }) => [id, name] as const), ["none", "none"]];
}

const TIMES = ["createdFrom", "createdBefore", "seenFrom", "seenBefore"] as const;

/** The query of the API for what the address says. */
export function queryOf({ values, sort, skip }: ListState): DeviceQuery {
  const { q } = values;
  const narrowed = negatable(values, "connectivity", "certificateState", "deviceTypeId", "groupId", "thresholdId");
  const times = Object.fromEntries(TIMES.map((name) => [name, instantOf(values[name])]));
  return { ...filled({ ...narrowed, ...times, q, sort }), skip, limit: PAGE } as DeviceQuery;
}
