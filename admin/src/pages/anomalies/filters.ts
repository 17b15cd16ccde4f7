import type { AnomalyQuery } from "../../api/monitoring/anomalies.ts";
import { filled } from "../../api/queries.ts";
import { negatable, PERIOD, periodOf } from "../../parts/filter-values.ts";
import type { ListState } from "../../parts/url-state.ts";
import type { Filter } from "../../ui/input/filters.tsx";
import { choicesOf } from "../../words/devices.ts";
import { ANOMALY_STATUSES, SEVERITIES } from "../../words/monitoring.ts";

const PAGE = 50;

/** What the list of anomalies can be narrowed by. */
export const ANOMALY_FILTERS: readonly Filter[] = [
  {
    kind: "choice",
    name: "status",
    label: "State",
    options: [["open,acknowledged", "unresolved"], ...choicesOf(ANOMALY_STATUSES)],
  },
  { kind: "choice", name: "severity", label: "Severity", options: choicesOf(SEVERITIES), not: true },
  { kind: "text", name: "deviceId", label: "Device id", placeholder: "pump-1", maxLength: 64 },
  ...PERIOD,
];

/** The query of the API for what the address says. */
export function queryOf({ values, sort, skip }: Pick<ListState, "values" | "sort" | "skip">): AnomalyQuery {
  const { status, deviceId } = values;
  const narrowed = { ...negatable(values, "severity"), ...periodOf(values), status, deviceId: deviceId?.trim() };
  return { ...filled({ ...narrowed, sort }), skip, limit: PAGE } as AnomalyQuery;
}
