import { useQuery } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/thresholds.ts";
import { THRESHOLDS, type Threshold, thresholdsQuery } from "../../api/monitoring/thresholds.ts";
import { Records } from "../../parts/list/records.tsx";
import { useMay } from "../../parts/session.ts";
import { useListState } from "../../parts/url-state.ts";
import { Action, type Column, Empty, type Filter, Page, Status } from "../../ui/ui.ts";
import { ruleText } from "../../words/rules.ts";

const FILTERS: readonly Filter[] = [
  { kind: "text", name: "q", label: common.name, placeholder: t.bearings, maxLength: 128 },
];
const COLUMNS: readonly Column<Threshold>[] = [
  { title: common.name, main: true, cell: ({ name }) => name },
  {
    title: common.state,
    cell: ({ enabled }) => <Status of={enabled ? ["good", t.enabled] : ["neutral", t.disabled]} plain />,
  },
  { title: t.rules, cell: ({ rules }) => <Rules rules={rules} /> },
];
const SHOWN_RULES = 3;

function Rules({ rules }: { rules: Threshold["rules"] }) {
  const more = rules.length - SHOWN_RULES;
  return (
    <>
      {rules.slice(0, SHOWN_RULES).map((rule) => (
        <div key={rule.id}>{ruleText(rule)}</div>
      ))}
      {more > 0 && <span className="soft">{t.and(nouns.more(more))}</span>}
    </>
  );
}

export default function ThresholdsPage() {
  const list = useListState();
  const { q } = list.values;
  const create = useMay("createThreshold") && <Action main label={t.createThresholdPack} href="/thresholds/new" />;
  return (
    <Page title={t.thresholds} lead={t.aThresholdPackHoldsRules} actions={create}>
      <Records
        label={common.thresholdPacks}
        of={nouns.thresholdPack}
        list={list}
        filters={FILTERS}
        query={useQuery(thresholdsQuery(q, list.skip))}
        columns={COLUMNS}
        href={({ id }) => `/thresholds/${id}`}
        csv={[THRESHOLDS, { q }]}
        empty={
          <Empty title={t.thereIsNoThresholdPack} action={create}>
            {t.rulesCanBeTriedOn}
          </Empty>
        }
      />
    </Page>
  );
}
