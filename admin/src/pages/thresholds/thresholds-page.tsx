import { useQuery } from "@tanstack/react-query";
import { THRESHOLDS, type Threshold, thresholdsQuery } from "../../api/monitoring/thresholds.ts";
import { Records } from "../../parts/list/records.tsx";
import { useMay } from "../../parts/session.ts";
import { useListState } from "../../parts/url-state.ts";
import { Action, type Column, Empty, type Filter, Page, plural, Status } from "../../ui/ui.ts";
import { ruleText } from "../../words/rules.ts";

const FILTERS: readonly Filter[] = [
  { kind: "text", name: "q", label: "Name", placeholder: "bearings", maxLength: 128 },
];
const COLUMNS: readonly Column<Threshold>[] = [
  { title: "Name", main: true, cell: ({ name }) => name },
  {
    title: "State",
    cell: ({ enabled }) => <Status of={enabled ? ["good", "Enabled"] : ["neutral", "Disabled"]} plain />,
  },
  { title: "Rules", cell: ({ rules }) => <Rules rules={rules} /> },
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

export default function ThresholdsPage() {
  const list = useListState();
  const { q } = list.values;
  const create = useMay("createThreshold") && <Action main label="Create threshold pack" href="/thresholds/new" />;
  return (
    <Page
      title="Thresholds"
      lead="A threshold pack holds rules. A device whose values break one has an anomaly, and its groups are notified."
      actions={create}
    >
      <Records
        label="Threshold packs"
        of="threshold pack"
        list={list}
        filters={FILTERS}
        query={useQuery(thresholdsQuery(q, list.skip))}
        columns={COLUMNS}
        href={({ id }) => `/thresholds/${id}`}
        csv={[THRESHOLDS, { q }]}
        empty={
          <Empty title="There is no threshold pack yet" action={create}>
            Rules can be tried on stored telemetry before they are saved.
          </Empty>
        }
      />
    </Page>
  );
}
