import { NativeSelect } from "@mantine/core";
import { useMemo } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/device.ts";
import { metricsOf, metricsParameter } from "../../../parts/chart/metric-names.ts";
import type { TimeRange } from "../../../parts/chart/use-time-range.ts";
import { type MetricSettings, metricChoices } from "../../../parts/metrics/metric-text.ts";
import { useUrlState } from "../../../parts/url-state.ts";
import { Action } from "../../../ui/ui.ts";

/** The number of metrics that a person compares, and a browser requests at once. */
const MOST_METRICS = 6;

export interface ChartsProps {
  deviceId: string;
  metrics: readonly string[];
  range: TimeRange;
  /** Absent for the last metric. */
  onRemove: ((metric: string) => void) | undefined;
}

/** Returns the metrics of the address that the device has, or its first metric, and a function that changes them. */
export function useShownMetrics(
  metrics: readonly string[],
): [shown: string[], show: (metrics: readonly string[]) => void] {
  const [{ metric }, change] = useUrlState();
  const names = metrics.join("\n");
  const shown = useMemo(() => {
    const known = names.split("\n");
    // An older address may have one unescaped name with a comma.
    const asked = metric !== undefined && known.includes(metric) ? [metric] : metricsOf(metric);
    const wanted = [...new Set(asked)].filter((each) => known.includes(each)).slice(0, MOST_METRICS);
    return wanted.length > 0 ? wanted : known.slice(0, 1);
  }, [metric, names]);
  return [shown, (chosen) => change({ metric: metricsParameter(chosen) }, { step: true })];
}

interface AddMetricProps {
  settings: MetricSettings;
  metrics: readonly string[];
  shown: readonly string[];
  onAdd: (shown: readonly string[]) => void;
}

/** Chooses the shown metrics: another one instead, or one more. */
export function AddMetric({ settings, metrics, shown, onAdd }: AddMetricProps) {
  const choices = metricChoices(metrics, settings);
  const others = choices.filter(({ value }) => !shown.includes(value));
  if (metrics.length === 1) return null;
  const isFull = shown.length >= MOST_METRICS;
  return (
    <>
      <NativeSelect
        aria-label={common.metric}
        value={shown.length === 1 ? shown[0]! : ""}
        data={shown.length === 1 ? choices : [{ value: "", label: t.onlyOneMetric }, ...choices]}
        onChange={(event) => event.currentTarget.value && onAdd([event.currentTarget.value])}
      />
      <NativeSelect
        aria-label={t.addAMetric}
        value=""
        disabled={isFull || others.length === 0}
        title={isFull ? t.atMostMetricsAreShown(MOST_METRICS) : undefined}
        data={[{ value: "", label: t.addAMetric2 }, ...others]}
        onChange={(event) => event.currentTarget.value && onAdd([...shown, event.currentTarget.value])}
      />
    </>
  );
}

export function RemoveMetric({ metric, onRemove }: { metric: string } & Pick<ChartsProps, "onRemove">) {
  if (!onRemove) return null;
  return <Action small label={common.remove} aria-label={t.remove(metric)} onClick={() => onRemove(metric)} />;
}
