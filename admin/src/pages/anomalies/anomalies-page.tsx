import { useQuery } from "@tanstack/react-query";
import { ANOMALIES, type AnomalyQuery, anomaliesQuery } from "../../api/monitoring/anomalies.ts";
import { thresholdChoicesQuery } from "../../api/monitoring/thresholds.ts";
import { groupChoicesQuery } from "../../api/people/groups.ts";
import { filled } from "../../api/queries.ts";
import { negatable, PERIOD, periodOf } from "../../parts/filter-values.ts";
import { Records } from "../../parts/list/records.tsx";
import { useSelection } from "../../parts/list/use-selection.ts";
import { SavedFilters } from "../../parts/saved-filters/saved-filters.tsx";
import { useMay, useSession } from "../../parts/session.ts";
import { type ListState, useListState } from "../../parts/url-state.ts";
import { Action, Empty, type Filter, Page, plural, useOpens } from "../../ui/ui.ts";
import { choicesOf } from "../../words/devices.ts";
import { ANOMALY_STATUSES, SEVERITIES } from "../../words/monitoring.ts";
import { AcknowledgeForm, acknowledgeTitle } from "./acknowledge.tsx";
import { anomalyColumns } from "./columns.tsx";

/** The violations of rules by devices: found, narrowed, sorted, acknowledged. */
export default function AnomaliesPage() {
  const list = useListState();
  const query = queryOf(list);
  const read = useQuery(anomaliesQuery(query));
  const [selected, onChange] = useSelection(query, read.data?.items);
  const mayAcknowledge = useMay("acknowledgeAnomalies");
  const groups = useQuery(groupChoicesQuery()).data?.items ?? [];
  const packs = useQuery(thresholdChoicesQuery).data?.items ?? [];
  const filters = anomalyFilters(groups, packs);
  return (
    <Page title="Anomalies" lead="What devices did that a rule forbids, one for each device and rule until it is over.">
      <Records
        label="Anomalies"
        of="anomaly"
        many="anomalies"
        list={list}
        filters={filters}
        query={read}
        columns={anomalyColumns()}
        rowName={({ message, deviceId }) => `${message}, ${deviceId}`}
        href={({ id }) => `/anomalies/${id}`}
        sorting={list.sorting}
        selection={mayAcknowledge ? { selected, onChange } : undefined}
        csv={[ANOMALIES, query]}
        empty={<NoAnomalies />}
      >
        <SavedFilters of="anomalies" filters={filters} list={list} />
      </Records>
      <AcknowledgeBar ids={[...selected]} onClear={() => onChange(new Set())} />
    </Page>
  );
}

function AcknowledgeBar({ ids, onClear }: { ids: readonly string[]; onClear: () => void }) {
  const [acknowledge, dialog] = useOpens({
    main: true,
    small: true,
    label: "Acknowledge",
    title: acknowledgeTitle(ids),
    children: (close) => <AcknowledgeForm ids={ids} onClose={close} onDone={onClear} />,
  });
  return (
    <>
      {ids.length > 0 && (
        <section className="row bulk-bar framed" aria-label="Selected anomalies">
          <span aria-live="polite">{plural(ids.length, "anomaly", "anomalies")} selected</span>
          <Action small label="Clear selection" onClick={onClear} />
          {acknowledge}
        </section>
      )}
      {dialog}
    </>
  );
}

function NoAnomalies() {
  const { role } = useSession().user;
  return (
    <Empty title="There is no anomaly">
      {role === "admin"
        ? "One opens when a device breaks a rule of its threshold packs, or is silent for longer than its type allows."
        : "You see those of the devices of your groups."}
    </Empty>
  );
}

const PAGE = 50;

interface Named {
  readonly id: string;
  readonly name: string;
}

function anomalyFilters(groups: readonly Named[], packs: readonly Named[]): readonly Filter[] {
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

/** Returns the query of the API for the state of the address. */
function queryOf({ values, sort, skip }: Pick<ListState, "values" | "sort" | "skip">): AnomalyQuery {
  const { status, deviceId, groupId, thresholdId } = values;
  const equal = { status, groupId, thresholdId, deviceId: deviceId?.trim() };
  const narrowed = { ...negatable(values, "severity"), ...periodOf(values), ...equal };
  return { ...filled({ ...narrowed, sort }), skip, limit: PAGE } as AnomalyQuery;
}
