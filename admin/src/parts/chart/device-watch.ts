import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { nouns } from "#texts/nouns.ts";
import { type Anomaly, anomaliesQuery } from "../../api/monitoring/anomalies.ts";
import { type ThresholdRule, watchingThresholdsQuery } from "../../api/monitoring/thresholds.ts";
import { limitsOf } from "../../ui/chart/chart-lines.ts";
import type { Band } from "../../ui/chart/chart-options.ts";
import type { Span } from "../../ui/chart/gaps.ts";
import type { Limit } from "../../ui/chart/limits.ts";
import type { Marks } from "../../ui/chart/mark-row.tsx";
import { localTime } from "../../ui/ui.ts";
import { SEVERITIES } from "../../words/monitoring.ts";
import { ruleText, type SaidRule } from "../../words/rules.ts";
import { localMinute } from "../filter-values.ts";

/** The size of a page of the list: the newest anomalies. */
const MOST_ANOMALIES = 200;

/** The marks of a chart in addition to its measurements. */
export interface Watched {
  /** The limits of rules, each with the id of its pack. */
  limits: readonly (Limit & { packId?: string })[];
  anomalies: readonly Anomaly[];
}

const NONE: readonly never[] = [];

/**
 * Returns a device's rules, and its anomalies in a range, by metric.
 * @param to absent for a range that ends now, in which new anomalies appear immediately
 */
export function useDeviceWatch(deviceId: string, from: number, to: number | undefined): (metric: string) => Watched {
  const packs = useQuery(watchingThresholdsQuery(deviceId)).data?.items ?? NONE;
  const period = to === undefined ? {} : { to: new Date(to).toISOString() };
  const found = useQuery(anomaliesQuery({ deviceId, ...period, skip: 0, limit: MOST_ANOMALIES })).data?.items ?? NONE;
  return useMemo(() => {
    const during = found.filter(({ resolvedAt }) => resolvedAt === null || Date.parse(resolvedAt) >= from);
    const rules = packs.flatMap(({ id, rules }) => rules.map((rule) => ({ packId: id, rule })));
    return memoByMetric((metric) => ({
      limits: rules.flatMap(({ packId, rule }) => limitsOfRule(rule, metric).map((limit) => ({ ...limit, packId }))),
      // A silent device has a gap in each metric.
      anomalies: during.filter((anomaly) => anomaly.metric === metric || anomaly.metric === null),
    }));
  }, [packs, found, from]);
}

/** Returns the same object for the same metric, because a chart with other properties is drawn again. */
function memoByMetric(watchedOf: (metric: string) => Watched): (metric: string) => Watched {
  const known = new Map<string, Watched>();
  return (metric) => {
    const watched = known.get(metric) ?? watchedOf(metric);
    known.set(metric, watched);
    return watched;
  };
}

/**
 * Returns the lines of a rule in the chart of a metric: one for each number with which the rule compares the metric, in
 * the color of its severity. Limits of a measure are omitted, because it has another scale.
 *
 * @param metadata the device's metadata, which may contain the limits
 */
export function limitsOfRule(
  rule: SaidRule & Pick<ThresholdRule, "severity">,
  metric: string,
  metadata: Readonly<Record<string, unknown>> = {},
): Limit[] {
  const [tone, severity] = SEVERITIES[rule.severity];
  const label = `${severity}: ${ruleText(rule)}`;
  return [rule, ...(rule.and ?? rule.or ?? [])]
    .filter((condition) => condition.metric === metric && condition.measure === undefined)
    .flatMap(({ value }) => limitsOf(isOfMetadata(value) ? ownLimit(value, metadata) : value))
    .map((value) => ({ value, tone, label }));
}

type OfMetadata = Exclude<Extract<ThresholdRule["value"], object>, readonly unknown[]>;

function isOfMetadata(value: ThresholdRule["value"]): value is OfMetadata {
  return typeof value === "object" && !Array.isArray(value);
}

function ownLimit(limit: OfMetadata, metadata: Readonly<Record<string, unknown>>): number {
  const own = metadata[limit.metadata];
  return typeof own === "number" ? own : limit.default;
}

/** Returns the times of anomalies; one that is not resolved lasts until `now`. */
export function bandsOf(
  anomalies: readonly Pick<Anomaly, "openedAt" | "resolvedAt" | "severity">[],
  now: number,
): Band[] {
  return anomalies.map(({ openedAt, resolvedAt, severity }) => ({
    from: Date.parse(openedAt),
    to: resolvedAt === null ? now : Date.parse(resolvedAt),
    tone: SEVERITIES[severity][0],
  }));
}

/** Returns a mark for each of the anomalies, with a link. */
export function marksOf(anomalies: readonly Anomaly[], deviceId: string): Marks {
  return {
    items: anomalies.map(({ id, openedAt, severity, message }) => ({
      at: Date.parse(openedAt),
      tone: SEVERITIES[severity][0],
      label: `${SEVERITIES[severity][1]}: ${message}, ${localTime(openedAt)}`,
      href: `/anomalies/${id}`,
    })),
    noun: nouns.anomaly,
    listOf: (span) => listOf(deviceId, span),
  };
}

const MINUTE_MS = 60_000;

/** Returns the address of the list of anomalies that opened in a range. Its filters are whole minutes. */
function listOf(deviceId: string, { from, to }: Span): string {
  const period = { from: localMinute(from), to: localMinute(to + MINUTE_MS) };
  return `/anomalies?${new URLSearchParams({ deviceId, ...period })}`;
}
