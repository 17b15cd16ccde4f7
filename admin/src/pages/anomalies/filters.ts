import type { AnomalyQuery } from "../../api/monitoring/anomalies.ts";
import { filled } from "../../api/queries.ts";
import { negatable, PERIOD, periodOf } from "../../parts/filter-values.ts";
import type { ListState } from "../../parts/url-state.ts";
import type { Filter } from "../../ui/input/filters.tsx";
import { choicesOf } from "../../words/devices.ts";
import { ANOMALY_STATUSES, SEVERITIES } from "../../words/monitoring.ts";

const PAGE = 50;

interface Named {
  readonly id: string;
  readonly name: string;
}

/** What the list of anomalies can be narrowed by. */
export function anomalyFilters(groups: readonly Named[], packs: readonly Named[]): readonly Filter[] {
  return [...OF_ANOMALY, choice("groupId", "Group", groups), choice("thresholdId", "Threshold pack", packs), ...PERIOD];
}

function choice(name: string, label: string, records: readonly Named[]): Filter {
  return { kind: "choice", name, label, options: records.map((each) => [each.id, each.name] as const) };
}

const OF_ANOMALY: readonly Filter[] = [
  {
    kind: "choice",
    name: "status",
    label: "State",
    options: [["open,acknowledged", "unresolved"], ...choicesOf(ANOMALY_STATUSES)],
  },
  { kind: "choice", name: "severity", label: "Severity", options: choicesOf(SEVERITIES), not: true },
  { kind: "text", name: "deviceId", label: "Device id", placeholder: "pump-1", maxLength: 64 },
];

/** The query of the API for what the address says. */
export function queryOf({ values, sort, skip }: Pick<ListState, "values" | "sort" | "skip">): AnomalyQuery {
  const { status, deviceId, groupId, thresholdId } = values;
  const equal = { status, groupId, thresholdId, deviceId: deviceId?.trim() };
  const narrowed = { ...negatable(values, "severity"), ...periodOf(values), ...equal };
  return { ...filled({ ...narrowed, sort }), skip, limit: PAGE } as AnomalyQuery;
}
