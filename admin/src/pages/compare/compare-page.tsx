import { NativeSelect, SegmentedControl } from "@mantine/core";
import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/telemetry/compare.ts";
import { t as screens } from "#texts/screens.ts";
import { deviceQuery, latestQuery } from "../../api/devices.ts";
import { seriesQuery } from "../../api/live/series.ts";
import { groupChoicesQuery } from "../../api/people/groups.ts";
import { MOST_COMPARED } from "../../parts/chart/most-compared.ts";
import { RangeBar } from "../../parts/chart/range-bar.tsx";
import { LIVE, PRESETS } from "../../parts/chart/time-range.ts";
import { useTimeRange } from "../../parts/chart/use-time-range.ts";
import { DevicesField } from "../../parts/form/device-field.tsx";
import { metricChoices } from "../../parts/metrics/metric-text.ts";
import { useMetricSettings } from "../../parts/metrics/use-metric-settings.ts";
import { useUrlState } from "../../parts/url-state.ts";
import { Action, DialogActions, Empty, Opens, Page } from "../../ui/ui.ts";
import { Charts } from "./charts.tsx";
import { type Compared, MOST_LINES, useCompared } from "./use-compared.ts";
import "./compare.css";

const RANGES = PRESETS.filter((preset) => preset !== LIVE);
const TOGETHER = "together";

/** A metric of several devices, in one chart or in one each. The address has everything that is shown. */
export default function ComparePage() {
  const [{ view }, change] = useUrlState();
  const isTogether = view === TOGETHER;
  const compared = useCompared(isTogether ? MOST_LINES : MOST_COMPARED);
  return (
    <Page
      title={screens.compareDevices}
      lead={t.lead}
      back={{ href: "/devices", label: common.devices }}
      actions={
        <>
          <SegmentedControl
            aria-label={t.view}
            value={isTogether ? TOGETHER : ""}
            data={[
              { value: "", label: t.oneChartEach },
              { value: TOGETHER, label: t.inOneChart },
            ]}
            onChange={(chosen) => change({ view: chosen || undefined }, { step: true })}
          />
          <Opens label={t.chooseDevices} title={t.chooseDevices}>
            {(close) => <Choices compared={compared} onClose={close} />}
          </Opens>
        </>
      }
    >
      {compared.ids.length === 0 ? <Empty title={t.noDeviceChosen} /> : <Shown {...{ compared, isTogether }} />}
    </Page>
  );
}

/** Chooses a group or single devices; the charts behind the dialog follow at once. */
function Choices({ compared: { ids, groupId }, onClose }: { compared: Compared; onClose: () => void }) {
  const [, change] = useUrlState();
  const groups = useQuery(groupChoicesQuery()).data?.items ?? [];
  return (
    <div className="stack">
      <NativeSelect
        label={common.group}
        value={groupId ?? ""}
        data={[{ value: "", label: t.devicesBelow }, ...groups.map(({ id, name }) => ({ value: id, label: name }))]}
        onChange={(event) => change({ groupId: event.currentTarget.value || undefined }, { step: true })}
      />
      {groupId === undefined && (
        <DevicesField
          label={common.devices}
          value={[...ids]}
          onChange={(chosen) => change({ devices: chosen.join(",") || undefined })}
        />
      )}
      <DialogActions>
        <Action main label={common.close} onClick={onClose} />
      </DialogActions>
    </div>
  );
}

function Shown({ compared: { ids, total }, isTogether }: { compared: Compared; isTogether: boolean }) {
  const range = useTimeRange(RANGES);
  const [metric, metrics, choose] = useMetric(ids);
  const settings = useMetricSettings(ids[0]!);
  const devices = useQueries({ queries: ids.map(deviceQuery) });
  const series = useQueries({
    queries: ids.map((id) => ({
      ...seriesQuery(id, metric ?? "", range.span),
      enabled: metric !== undefined,
      placeholderData: keepPreviousData,
    })),
  });
  const compared = ids.map((id, at) => {
    const record = devices[at]?.data?.record;
    return { id, name: record?.name ?? id, query: series[at]! };
  });
  return (
    <div className="stack-loose">
      <div className="row compare-metric">
        <NativeSelect
          label={t.metric}
          value={metric ?? ""}
          data={metricChoices(metrics, settings)}
          onChange={(event) => choose(event.currentTarget.value)}
        />
      </div>
      <RangeBar range={range} presets={RANGES} />
      {total > ids.length && <p role="status">{t.someAreShown(ids.length, nouns.device(total))}</p>}
      {metric === undefined ? (
        <Empty title={t.noNumbers} />
      ) : (
        <Charts metric={metric} compared={compared} isTogether={isTogether} onZoom={range.show} />
      )}
    </div>
  );
}

/** Returns the metric of the address, otherwise the one that most devices have, with all numeric metrics of them. */
function useMetric(ids: readonly string[]): [string | undefined, string[], (metric: string) => void] {
  const [{ metric: asked }, change] = useUrlState();
  const latest = useQueries({ queries: ids.map(latestQuery) });
  const names = latest.flatMap(({ data }) =>
    (data?.items ?? []).flatMap(({ metric, value }) => (typeof value === "number" ? [metric] : [])),
  );
  const count = Map.groupBy(names, (name) => name);
  const metrics = [...count.keys()].sort();
  const [usual] = metrics.toSorted((one, other) => count.get(other)!.length - count.get(one)!.length);
  const metric = asked !== undefined && metrics.includes(asked) ? asked : usual;
  return [metric, metrics, (chosen) => change({ metric: chosen }, { step: true })];
}
