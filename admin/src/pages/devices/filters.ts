import { common } from "#texts/common.ts";
import { t } from "#texts/pages/devices.ts";
import type { Schemas } from "../../api/client.ts";
import type { DeviceQuery } from "../../api/devices.ts";
import { instantOf, negatable } from "../../parts/filter-values.ts";
import type { ListState } from "../../parts/url-state.ts";
import { type Filter, valuesOf } from "../../ui/ui.ts";
import { CERTIFICATE_STATES, CONNECTIVITY, choicesOf } from "../../words/devices.ts";

const PAGE = 50;
/** The parameter of the address that filters by a field of the metadata: `metadata.site`. */
export const METADATA = "metadata.";

type Named = Readonly<Record<"id" | "name", string>>;
export type MetadataField = Schemas["MetadataField"];

export function deviceFilters(
  types: readonly Named[],
  groups: readonly Named[],
  packs: readonly Named[],
  fields: readonly MetadataField[],
): readonly Filter[] {
  const choice = { kind: "choice", not: true, many: true } as const;
  return [
    { kind: "text", name: "q", label: t.nameOrDeviceId, placeholder: t.pump, maxLength: 128 },
    { ...choice, name: "connectivity", label: t.connection, options: choicesOf(CONNECTIVITY) },
    { ...choice, name: "certificateState", label: common.certificate, options: choicesOf(CERTIFICATE_STATES) },
    { ...choice, name: "deviceTypeId", label: common.type, options: [...choicesFrom(types), NONE] },
    { ...choice, name: "groupId", label: common.group, options: [...choicesFrom(groups), NONE] },
    { ...choice, name: "thresholdId", label: common.thresholdPack, options: choicesFrom(packs) },
    ...fields.map(({ name, values }) => ({
      ...choice,
      name: METADATA + name,
      label: name,
      options: values.map((value) => [value, value] as const),
    })),
    { kind: "time", name: "createdFrom", label: t.createdFrom },
    { kind: "time", name: "createdBefore", label: t.createdBefore },
    { kind: "time", name: "seenFrom", label: t.lastSeenFrom },
    { kind: "time", name: "seenBefore", label: t.lastSeenBefore },
  ];
}

const NONE = ["none", common.none] as const;
const choicesFrom = (records: readonly Named[]) => records.map(({ id, name }) => [id, name] as const);
const TIMES = ["createdFrom", "createdBefore", "seenFrom", "seenBefore"] as const;

/** Returns the query of the API for the state of the address. */
export function queryOf({ values, sort, skip }: ListState): DeviceQuery {
  const { q } = values;
  const narrowed = negatable(values, "connectivity", "certificateState", "deviceTypeId", "groupId", "thresholdId");
  const times = Object.fromEntries(TIMES.map((name) => [name, instantOf(values[name])]));
  const metadata = { metadata: metadataOf(values, false), notMetadata: metadataOf(values, true) };
  return { ...narrowed, ...times, ...metadata, q, sort, skip, limit: PAGE } as DeviceQuery;
}

/** Returns the parameter for wanted, or unwanted, fields of the metadata: `site=Hall%203,floor=2`. */
function metadataOf(values: ListState["values"], isNot: boolean): string | undefined {
  const pairs = Object.entries(values).flatMap(([name, text = ""]) => {
    if (!name.startsWith(METADATA) || text === "") return [];
    const wanted = valuesOf(text);
    if (wanted.isNot !== isNot) return [];
    const field = encodeURIComponent(name.slice(METADATA.length));
    return wanted.values.map((value) => `${field}=${encodeURIComponent(value)}`);
  });
  return pairs.length === 0 ? undefined : pairs.join(",");
}
