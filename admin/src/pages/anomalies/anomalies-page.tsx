import { useQuery } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/anomalies.ts";
import { ANOMALIES, type AnomalyQuery, anomaliesQuery } from "../../api/monitoring/anomalies.ts";
import { thresholdChoicesQuery } from "../../api/monitoring/thresholds.ts";
import { groupChoicesQuery } from "../../api/people/groups.ts";
import { filled } from "../../api/queries.ts";
import { negatable, PERIOD, periodOf } from "../../parts/filter-values.ts";
import { Glossary } from "../../parts/guides/glossary.tsx";
import { Records } from "../../parts/list/records.tsx";
import { useSelection } from "../../parts/list/use-selection.ts";
import { SavedFilters } from "../../parts/saved-filters/saved-filters.tsx";
import { useMay, useSession } from "../../parts/session.ts";
import { type ListState, useListState } from "../../parts/url-state.ts";
import { Action, Empty, type Filter, Page, useOpens } from "../../ui/ui.ts";
import { choicesOf } from "../../words/devices.ts";
import { ANOMALY_STATUSES, SEVERITIES } from "../../words/monitoring.ts";
import { AcknowledgeForm, acknowledgeTitle } from "./acknowledge.tsx";
import { anomalyColumns } from "./columns.tsx";

/** Lists anomalies, which the user can filter, sort and acknowledge. */
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
    <Page title={common.anomalies} lead={t.whatDevicesDidThatA}>
      <Glossary />
      <Records
        label={common.anomalies}
        of={nouns.anomaly}
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
    label: t.acknowledge2,
    title: acknowledgeTitle(ids),
    children: (close) => <AcknowledgeForm ids={ids} onClose={close} onDone={onClear} />,
  });
  return (
    <>
      {ids.length > 0 && (
        <section className="row bulk-bar framed" aria-label={t.selectedAnomalies}>
          <span aria-live="polite">{t.selected(nouns.anomaly(ids.length))}</span>
          <Action small label={t.clearSelection} onClick={onClear} />
          {acknowledge}
        </section>
      )}
      {dialog}
    </>
  );
}

function NoAnomalies() {
  const { role } = useSession().user;
  return <Empty title={t.thereIsNoAnomaly}>{role === "admin" ? t.oneOpensWhenADevice : t.youSeeThoseOfThe}</Empty>;
}

const PAGE = 50;
/** The value of `state` in the address that selects every state. The default omits resolved anomalies. */
const ALL = "all";
const UNRESOLVED = "open,acknowledged";

interface Named {
  readonly id: string;
  readonly name: string;
}

function anomalyFilters(groups: readonly Named[], packs: readonly Named[]): readonly Filter[] {
  return [
    ...OF_ANOMALY,
    choice("groupId", common.group, groups),
    choice("thresholdId", common.thresholdPack, packs),
    ...PERIOD,
  ];
}

function choice(name: string, label: string, records: readonly Named[]): Filter {
  return { kind: "choice", name, label, options: records.map((each) => [each.id, each.name] as const) };
}

const OF_ANOMALY: readonly Filter[] = [
  {
    kind: "choice",
    name: "status",
    label: common.state,
    unset: t.unresolved,
    options: [...choicesOf(ANOMALY_STATUSES), [ALL, t.all]],
  },
  { kind: "choice", name: "severity", label: t.severity, options: choicesOf(SEVERITIES), not: true },
  { kind: "text", name: "deviceId", label: common.deviceId, placeholder: t.pump1, maxLength: 64 },
];

/** Returns the query of the API for the state of the address. */
function queryOf({ values, sort, skip }: Pick<ListState, "values" | "sort" | "skip">): AnomalyQuery {
  const { status: asked = UNRESOLVED, deviceId, groupId, thresholdId } = values;
  const status = asked === ALL ? undefined : asked;
  const equal = { status, groupId, thresholdId, deviceId: deviceId?.trim() };
  const narrowed = { ...negatable(values, "severity"), ...periodOf(values), ...equal };
  return { ...filled({ ...narrowed, sort: sort ?? "-severity" }), skip, limit: PAGE } as AnomalyQuery;
}
