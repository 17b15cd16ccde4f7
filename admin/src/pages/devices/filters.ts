import type { DeviceQuery } from "../../api/devices.ts";
import { filled } from "../../api/queries.ts";
import { instantOf, negatable } from "../../parts/filter-values.ts";
import type { ListState } from "../../parts/url-state.ts";
import type { Filter } from "../../ui/input/filters.tsx";
import { CERTIFICATE_STATES, CONNECTIVITY, choicesOf } from "../../words/devices.ts";

const PAGE = 50;

/** What the list of devices can be narrowed by. */
export function deviceFilters(types: readonly { id: string; name: string }[]): readonly Filter[] {
  const ofTypes = [...types.map(({ id, name }) => [id, name] as const), ["none", "none"] as const];
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
    { kind: "choice", name: "deviceTypeId", label: "Type", options: ofTypes, not: true },
    { kind: "time", name: "seenFrom", label: "Last seen from" },
    { kind: "time", name: "seenBefore", label: "Last seen before" },
  ];
}

/** The query of the API for what the address says. */
export function queryOf({ values, sort, skip }: ListState): DeviceQuery {
  const { q, seenFrom, seenBefore } = values;
  const narrowed = negatable(values, "connectivity", "certificateState", "deviceTypeId", "groupId");
  const seen = { seenFrom: instantOf(seenFrom), seenBefore: instantOf(seenBefore) };
  return { ...filled({ ...narrowed, ...seen, q, sort }), skip, limit: PAGE } as DeviceQuery;
}
