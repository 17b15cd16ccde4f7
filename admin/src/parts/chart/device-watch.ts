import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type Anomaly, anomaliesQuery } from "../../api/monitoring/anomalies.ts";
import { type ThresholdRule, watchingThresholdsQuery } from "../../api/monitoring/thresholds.ts";
import { limitsOf } from "../../ui/chart/chart-lines.ts";
import type { Span } from "../../ui/chart/gaps.ts";
import type { Limit } from "../../ui/chart/limits.ts";
import type { Marks } from "../../ui/chart/mark-row.tsx";
import type { Band } from "../../ui/chart/marks.ts";
import { localTime } from "../../ui/display/format.ts";
import { SEVERITIES } from "../../words/monitoring.ts";
import { ruleText } from "../../words/rules.ts";
import { localMinute } from "../filter-values.ts";

/** As many as a page of the list has: the newest. */
const MOST_ANOMALIES = 200;

/** What a chart marks beside what was measured. */
export interface Watched {
  /** `packId`: of the rule. */
  limits: readonly (Limit & { packId?: string })[];
  anomalies: readonly Anomaly[];
}

const NONE: readonly never[] = [];

/**
 * The rules that evaluate a device and the anomalies of a range, by metric.
 *
 * @param to absent where the range ends now: what opens is shown at once
 */
export function useDeviceWatch(deviceId: string, from: number, to: number | undefined): (metric: string) => Watched {
  const packs = useQuery(watchingThresholdsQuery(deviceId)).data?.items ?? NONE;
  const period = to === undefined ? {} : { to: new Date(to).toISOString() };
  const found = useQuery(anomaliesQuery({ deviceId, ...period, skip: 0, limit: MOST_ANOMALIES })).data?.items ?? NONE;
  return useMemo(() => {
    const during = found.filter(({ resolvedAt }) => resolvedAt === null || Date.parse(resolvedAt) >= from);
    const rules = packs.flatMap(({ id, rules }) => rules.map((rule) => ({ packId: id, rule })));
    return memoByMetric((metric) => ({
      limits: rules
        .filter(({ rule }) => rule.metric === metric)
        .flatMap(({ packId, rule }) => limitsOfRule(rule).map((limit) => ({ ...limit, packId }))),
      // Of a silent device each metric has a gap.
      anomalies: during.filter((anomaly) => anomaly.metric === metric || anomaly.metric === null),
    }));
  }, [packs, found, from]);
}

/** The same object for the same metric: a chart is drawn again when what it is given differs. */
function memoByMetric(watchedOf: (metric: string) => Watched): (metric: string) => Watched {
  const known = new Map<string, Watched>();
  return (metric) => {
    const watched = known.get(metric) ?? watchedOf(metric);
    known.set(metric, watched);
    return watched;
  };
}

/** The lines of a rule: each of its numbers, in the tone of its severity. */
export function limitsOfRule(rule: Pick<ThresholdRule, "metric" | "operator" | "value" | "severity">): Limit[] {
  const [tone, severity] = SEVERITIES[rule.severity];
  return limitsOf(rule.value).map((value) => ({ value, tone, label: `${severity}: ${ruleText(rule)}` }));
}

/** The times of anomalies; of one that is not resolved until `now`. */
export function bandsOf(anomalies: readonly Anomaly[], now: number): Band[] {
  return anomalies.map(({ openedAt, resolvedAt, severity }) => ({
    from: Date.parse(openedAt),
    to: resolvedAt === null ? now : Date.parse(resolvedAt),
    tone: SEVERITIES[severity][0],
  }));
}

/** A link to each of the anomalies. */
export function marksOf(anomalies: readonly Anomaly[], deviceId: string): Marks {
  return {
    items: anomalies.map(({ id, openedAt, severity, message }) => ({
      at: Date.parse(openedAt),
      tone: SEVERITIES[severity][0],
      label: `${SEVERITIES[severity][1]}: ${message}, ${localTime(openedAt)}`,
      href: `/anomalies/${id}`,
    })),
    names: ["anomaly", "anomalies"],
    listOf: (span) => listOf(deviceId, span),
  };
}

const MINUTE_MS = 60_000;

/** The list of anomalies of a device that opened in a range, whose filters are whole minutes. */
function listOf(deviceId: string, { from, to }: Span): string {
  const period = { from: localMinute(from), to: localMinute(to + MINUTE_MS) };
  return `/anomalies?${new URLSearchParams({ deviceId, ...period })}`;
}
