import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ANOMALIES, anomaliesQuery } from "../../api/monitoring/anomalies.ts";
import { thresholdChoicesQuery } from "../../api/monitoring/thresholds.ts";
import { groupChoicesQuery } from "../../api/people/groups.ts";
import { ListFrame } from "../../parts/list/list-frame.tsx";
import { NoneMatches } from "../../parts/list/none-matches.tsx";
import { SavedFilters } from "../../parts/saved-filters/saved-filters.tsx";
import { useMay, useSession } from "../../parts/session.ts";
import { useListState } from "../../parts/url-state.ts";
import { Empty } from "../../ui/display/empty.tsx";
import { plural } from "../../ui/display/format.ts";
import { Table } from "../../ui/display/table.tsx";
import { cleared, Filters } from "../../ui/input/filters.tsx";
import { Page } from "../../ui/page/page.tsx";
import "../devices/bulk/bulk-bar.css";
import { Acknowledge } from "./acknowledge.tsx";
import { anomalyColumns } from "./columns.tsx";
import { anomalyFilters, queryOf } from "./filters.ts";
import { useSelection } from "./use-selection.ts";

/** What devices did that a rule forbids: found, narrowed, sorted, acknowledged. */
export default function AnomaliesPage() {
  const list = useListState();
  const query = queryOf(list);
  const read = useQuery(anomaliesQuery(query));
  const [selected, setSelected] = useSelection(query, read.data?.items);
  const mayAcknowledge = useMay("acknowledgeAnomalies");
  const groups = useQuery(groupChoicesQuery()).data?.items ?? [];
  const packs = useQuery(thresholdChoicesQuery).data?.items ?? [];
  const filters = anomalyFilters(groups, packs);
  const narrowed = filters.some(({ name }) => list.values[name]);
  return (
    <Page title="Anomalies" lead="What devices did that a rule forbids, one for each device and rule until it is over.">
      <Filters filters={filters} values={list.values} onChange={list.onFilter} />
      <SavedFilters of="anomalies" filters={filters} list={list} />
      <ListFrame read={read} of="anomaly" many="anomalies" path={ANOMALIES} query={query} onSkip={list.onSkip}>
        {(rows) => (
          <Table
            label="Anomalies"
            columns={anomalyColumns()}
            rows={rows}
            rowKey={({ id }) => id}
            rowName={({ message, deviceId }) => `${message}, ${deviceId}`}
            href={({ id }) => `/anomalies/${id}`}
            sorting={list.sorting}
            {...(mayAcknowledge ? { selection: { selected, onChange: setSelected } } : {})}
            empty={<NoAnomalies narrowed={narrowed} onClear={() => list.onFilter(cleared(filters))} />}
          />
        )}
      </ListFrame>
      <AcknowledgeBar selected={selected} onSelect={setSelected} />
    </Page>
  );
}

const NONE: ReadonlySet<string> = new Set();

interface AcknowledgeBarProps {
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
}

/** What can be done with the selected anomalies; shown when there are some. */
function AcknowledgeBar({ selected, onSelect }: AcknowledgeBarProps) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      {selected.size > 0 && (
        <section className="row bulk-bar" aria-label="Selected anomalies">
          <span aria-live="polite">{plural(selected.size, "anomaly", "anomalies")} selected</span>
          <Button size="xs" variant="default" onClick={() => onSelect(NONE)}>
            Clear selection
          </Button>
          <Button size="xs" onClick={() => setOpened(true)}>
            Acknowledge
          </Button>
        </section>
      )}
      <Acknowledge opened={opened} ids={[...selected]} onClose={() => setOpened(false)} onDone={() => onSelect(NONE)} />
    </>
  );
}

/** Why the list is empty: filters, groups, or nothing was wrong. */
function NoAnomalies({ narrowed, onClear }: { narrowed: boolean; onClear: () => void }) {
  const { role } = useSession().user;
  if (narrowed) return <NoneMatches of="anomaly" onClear={onClear} />;
  return (
    <Empty title="There is no anomaly">
      {role === "admin"
        ? "One opens when a device breaks a rule of its threshold packs, or is silent for longer than its type allows."
        : "You see those of the devices of your groups."}
    </Empty>
  );
}
