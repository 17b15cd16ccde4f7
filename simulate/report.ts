import { readable } from "../load/measure.ts";
import { columns } from "../server/src/cli/output.ts";
import type { Phase } from "./course.ts";
import { TIMED, type Timed } from "./figures/figures.ts";
import type { Histogram } from "./figures/histogram.ts";
import type { Options } from "./options.ts";
import type { Results } from "./results.ts";
import type { StoredCounts } from "./stored.ts";

const PERCENTILES = { p50: 0.5, p95: 0.95, p99: 0.99 } as const;
/** The columns of {@link timesRow}. */
export const TIMES_HEAD = ["count", ...Object.keys(PERCENTILES), "max"];
const TIMES = Object.keys(TIMED) as Timed[];

/** Returns the report as text. */
export function reportText(phases: readonly Phase[], results: Results, options: Options): string {
  const parts = [
    loadLine(options),
    phaseTable(phases),
    timeTable(phases),
    ...partTable(phases),
    ...errorPart(phases),
    ...totalLines(results),
  ];
  const verdict = results.failures.length === 0 ? "All as promised." : `FAILED: ${results.failures.join("; ")}.`;
  return [...parts, verdict].join("\n\n");
}

/** Returns the report for programs; times in milliseconds. */
export function reportJson(phases: readonly Phase[], results: Results, options: Options): object {
  const times = (phase: Phase) =>
    Object.fromEntries(
      TIMES.flatMap((name) => {
        const histogram = phase.figures.times(name);
        return histogram ? [[name, timesJson(histogram)]] : [];
      }),
    );
  return {
    options: { ...options, claimCode: undefined },
    phases: phases.map((phase) => ({
      name: phase.name,
      seconds: phase.seconds,
      back: phase.back,
      counts: Object.fromEntries(phase.figures.data().counts),
      times: times(phase),
      errors: Object.fromEntries(phase.figures.errors),
      failures: phase.failures,
      measured: phase.measured,
    })),
    ...results,
  };
}

/** Returns count, percentiles and maximum for programs. */
export function timesJson(histogram: Histogram): Record<string, number | undefined> {
  const shares = Object.entries(PERCENTILES).map(([name, share]) => [name, histogram.percentile(share)]);
  return { count: histogram.count, ...Object.fromEntries(shares), max: histogram.maxMs };
}

/** Returns count, percentiles and maximum as text. */
export function timesRow(histogram: Histogram): string[] {
  const shares = Object.values(PERCENTILES).map((share) => readable(histogram.percentile(share)!));
  return [countText(histogram.count), ...shares, readable(histogram.maxMs)];
}

function loadLine({ devices, processes, every, metrics, qos }: Options): string {
  const mix = qos.map(
    ({ qos: level, share }) => `QoS ${level}${qos.length > 1 ? ` ${Math.round(share * 100)} %` : ""}`,
  );
  const load = processes === 1 ? "one load process" : `${processes} load processes`;
  return `${devices} devices in ${load}, each with a message of ${metrics} values every ${every} s, ${mix.join(", ")}`;
}

function phaseTable(phases: readonly Phase[]): string {
  const rate = (count: number, seconds: number) => (count === 0 ? "" : readable(count / seconds));
  const rows = phases.map(({ name, seconds, figures, back }) => [
    name,
    readable(seconds),
    countText(figures.count("connected")),
    countText(figures.count("lost connections")),
    back === undefined ? "" : back.seconds === undefined ? "not all" : `${readable(back.seconds)} s`,
    rate(figures.count("published"), seconds),
    rate(figures.count("acknowledged"), seconds),
    rate(figures.count("received"), seconds),
  ]);
  const head = ["phase", "seconds", "connects", "lost", "all back", "published/s", "acknowledged/s", "received/s"];
  return columns([head, ...rows], "").join("\n");
}

function timeTable(phases: readonly Phase[]): string {
  const rows = TIMES.flatMap((name) =>
    phases.flatMap((phase) => {
      const histogram = phase.figures.times(name);
      return histogram ? [[TIMED[name], phase.name, ...timesRow(histogram)]] : [];
    }),
  );
  return columns([["milliseconds", "phase", ...TIMES_HEAD], ...rows], "").join("\n");
}

/** Returns the CPU time and the memory of the started processes in each phase. */
function partTable(phases: readonly Phase[]): string[] {
  const names = [...new Set(phases.flatMap(({ measured }) => measured?.parts.map(({ name }) => name) ?? []))];
  if (names.length === 0) return [];
  const megabytes = (bytes: number | undefined) => (bytes === undefined ? "" : readable(bytes / 1e6));
  const rows = phases.map(({ name, seconds, measured }) => [
    name,
    ...names.flatMap((part) => {
      const figures = measured?.parts.find((each) => each.name === part);
      return figures ? [readable(figures.cpuMs / seconds / 1000), megabytes(figures.maxBytes)] : ["", ""];
    }),
    megabytes(measured?.streamBytes),
  ]);
  const head = ["phase", ...names.flatMap((name) => [`${name}: cores`, "MB"]), "stream: MB"];
  return [columns([head, ...rows], "").join("\n")];
}

function errorPart(phases: readonly Phase[]): string[] {
  const rows = phases.flatMap(({ name, figures }) =>
    [...figures.errors].map(([what, count]) => [what, name, countText(count)]),
  );
  return rows.length === 0 ? [] : [columns([["error", "phase", "count"], ...rows], "").join("\n")];
}

function totalLines(results: Results): string[] {
  const { totals, stored, commands, gateways } = results;
  const storedText = "why" in stored ? `not compared: ${stored.why}` : countsText(stored);
  const rows = [
    ["published", `${totals.published}, of which ${totals["published again"]} again after a lost connection`],
    ["acknowledged", `${totals.acknowledged}, refused ${results.refused}, neither ${results.unacknowledged}`],
    ["stored", storedText],
    ...("why" in stored || stored.toCount === 0
      ? []
      : [["anomalies", `count ${stored.counted} of ${stored.toCount} breaches`]]),
    gateways === 0
      ? ["received", "not compared: there is no gateway"]
      : ["received", `${totals.received} at ${gateways} gateways, ${totals["received again"]} of them again`],
    ...(gateways === 0
      ? []
      : [
          ["lost", `${results.lost}, and ${results.missedWhileAway} while a gateway itself was not connected`],
          ["out of order", String(totals["out of order"])],
        ]),
    ...(commands.sent === 0 ? [] : [["commands", `${commands.sent} sent, ${commands.lost} lost`]]),
    ["simulator", `its timers were late by ${readable(results.lateMs)} ms at most, which its times include`],
  ];
  return [columns(rows, "").join("\n")];
}

function countsText({ lost, messages, devices, twice, outOfOrder }: StoredCounts): string {
  const missing = `${lost} missing of ${messages} acknowledged ones of ${devices} devices`;
  return `${missing}, ${twice} again, ${outOfOrder} out of order`;
}

function countText(count: number): string {
  return count === 0 ? "" : count.toLocaleString("en-US");
}
