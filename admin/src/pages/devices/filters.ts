import type { DeviceQuery } from "../../api/devices.ts";
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
  ];
}

/** The query of the API for what the address says. */
export function queryOf({ values, sort, skip }: ListState): DeviceQuery {
  const { q, connectivity, certificateState, deviceTypeId, groupId } = values;
  const narrowed = { connectivity, certificateState, deviceTypeId, groupId };
  const given = [...Object.entries(narrowed).map(negated), ["q", q], ["sort", sort]].filter(([, value]) => value);
  return { ...Object.fromEntries(given), skip, limit: PAGE };
}

/** `connectivity=!online` of the address is `notConnectivity=online` of the API. */
function negated([name, value]: [string, string | undefined]): [string, string | undefined] {
  if (!value?.startsWith("!")) return [name, value];
  return [`not${name.charAt(0).toUpperCase()}${name.slice(1)}`, value.slice(1)];
}
