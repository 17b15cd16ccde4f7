import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { THRESHOLDS, type Threshold, thresholdsQuery } from "../../api/monitoring/thresholds.ts";
import { DownloadCsv } from "../../parts/download-csv.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { useMay } from "../../parts/session.ts";
import { useListState } from "../../parts/url-state.ts";
import { Empty } from "../../ui/display/empty.tsx";
import { plural } from "../../ui/display/format.ts";
import { Pager } from "../../ui/display/pager.tsx";
import { Status } from "../../ui/display/status.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Filters } from "../../ui/input/filters.tsx";
import { Page } from "../../ui/page/page.tsx";
import { ruleText } from "../../words/rules.ts";

const COLUMNS: readonly Column<Threshold>[] = [
  { key: "name", title: "Name", main: true, cell: ({ name }) => name },
  {
    key: "state",
    title: "State",
    cell: ({ enabled }) => (
      <Status tone={enabled ? "good" : "neutral"} plain>
        {enabled ? "Enabled" : "Disabled"}
      </Status>
    ),
  },
  { key: "rules", title: "Rules", cell: ({ rules }) => <Rules rules={rules} /> },
];

const SHOWN_RULES = 3;

function Rules({ rules }: { rules: Threshold["rules"] }) {
  const more = rules.length - SHOWN_RULES;
  return (
    <>
      {rules.slice(0, SHOWN_RULES).map((rule) => (
        <div key={rule.id}>{ruleText(rule)}</div>
      ))}
      {more > 0 && <span className="soft">and {plural(more, "more", "more")}</span>}
    </>
  );
}

/** Packs of rules over telemetry. */
export default function ThresholdsPage() {
  const { values, skip, onFilter, onSkip } = useListState();
  const query = useQuery(thresholdsQuery(values.q, skip));
  const { data, error, refetch } = query;
  const create = useMay("createThreshold") && (
    <Button component="a" href="/thresholds/new">
      Create threshold pack
    </Button>
  );
  return (
    <Page
      title="Thresholds"
      lead="A threshold pack holds rules. A device whose values break one has an anomaly, and its groups are notified."
      actions={create}
    >
      <Filters
        filters={[{ kind: "text", name: "q", label: "Name", placeholder: "bearings", maxLength: 128 }]}
        values={values}
        onChange={onFilter}
      />
      {error && !data && <ProblemBox error={error} onRetry={() => void refetch()} />}
      {!(error && !data) && (
        <Table
          label="Threshold packs"
          columns={COLUMNS}
          rows={data?.items}
          rowKey={({ id }) => id}
          href={({ id }) => `/thresholds/${id}`}
          empty={
            values.q ? (
              <Empty
                title="No threshold pack has this in its name"
                action={<Button onClick={() => onFilter({ q: undefined })}>Clear filters</Button>}
              />
            ) : (
              <Empty title="There is no threshold pack yet" action={create}>
                Rules can be tried on stored telemetry before they are saved.
              </Empty>
            )
          }
        />
      )}
      <Pager page={data} of="threshold pack" onSkip={onSkip}>
        <DownloadCsv list={THRESHOLDS} query={{ q: values.q }} total={data?.total} />
      </Pager>
    </Page>
  );
}
