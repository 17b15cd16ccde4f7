import { readable } from "../../load/measure.ts";
import { columns } from "../../server/src/cli/output.ts";
import { Figures, type Timed } from "../figures/figures.ts";
import { TIMES_HEAD, timesJson, timesRow } from "../report.ts";
import { FAULTS, type FaultKind } from "./draw.ts";
import type { FaultResult, FaultRun } from "./run.ts";

const MB = 1024 ** 2;
const QUIET_TIMES = [
  "acknowledgement",
  "delivery, same address",
  "delivery, other address",
  "revocation answered",
  "revocation",
] as const;

/** Returns the report of a run as text. */
export function faultReport(run: FaultRun, heading: string): string {
  const failures = [
    ...run.results.flatMap((each) => each.failures.map((what) => `${each.fault.kind}: ${what}`)),
    ...run.failures,
  ];
  const { messages, lost, twice, disordered } = run.total;
  const logged = [...run.logs.entries].map(([what, { count }]) => [what, String(count)]);
  return [
    heading,
    kindTable(run.results),
    quietTable(run.quiet),
    [
      `stored        ${messages} messages compared: ${lost} lost, ${twice} twice, ${disordered} out of order`,
      ...Object.entries(run.memory).map(([role, sizes]) => `memory        ${role}: ${memoryLine(sizes)}`),
    ].join("\n"),
    columns([["logged", "count"], ...logged], "").join("\n"),
    failures.length === 0 ? "All as promised." : `FAILED:\n${failures.map((each) => `- ${each}`).join("\n")}`,
  ].join("\n\n");
}

/** Returns the report for programs; times in milliseconds unless their names say otherwise. */
export function faultJson({ results, quiet, total, memory, logs, failures }: FaultRun): object {
  return {
    faults: results.map(({ fault, target, backSeconds, figures, stored, revocation, failures: of }) => ({
      ...fault,
      target,
      backSeconds,
      acknowledgement: percentiles(figures, "acknowledgement"),
      stored,
      revocation,
      failures: of,
    })),
    quiet: Object.fromEntries(QUIET_TIMES.map((name) => [name, percentiles(quiet, name)])),
    stored: total,
    memory,
    logged: Object.fromEntries(logs.entries),
    failures,
  };
}

function percentiles(figures: Figures, name: Timed): object | undefined {
  const times = figures.times(name);
  return times && timesJson(times);
}

function kindTable(results: readonly FaultResult[]): string {
  const rows = (Object.keys(FAULTS) as FaultKind[]).flatMap((kind) => {
    const of = results.filter(({ fault }) => fault.kind === kind);
    return of.length === 0 ? [] : [[kind, ...kindRow(of)]];
  });
  const back = ["all back: median", "longest"];
  const head = ["fault", "count", ...back, "ack p50 ms", "p99", "late", "lost", "twice", "failed"];
  return columns([head, ...rows, ["all", ...kindRow(results)]], "").join("\n");
}

function kindRow(results: readonly FaultResult[]): string[] {
  const figures = new Figures();
  for (const each of results) figures.merge(each.figures.data());
  const backs = results.map(({ backSeconds }) => backSeconds ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b);
  const seconds = (value: number | undefined) =>
    value === undefined || !Number.isFinite(value) ? "never" : `${readable(value)} s`;
  const ack = figures.times("acknowledgement");
  const sum = (of: (each: FaultResult) => number) => String(results.reduce((total, each) => total + of(each), 0));
  return [
    String(results.length),
    seconds(backs[Math.floor(backs.length / 2)]),
    seconds(backs.at(-1)),
    ack ? readable(ack.percentile(0.5)!) : "",
    ack ? readable(ack.percentile(0.99)!) : "",
    String(figures.count("out of order")),
    sum(({ stored }) => stored.lost),
    sum(({ stored }) => stored.twice),
    sum(({ failures }) => failures.length),
  ];
}

function quietTable(figures: Figures): string {
  const rows = QUIET_TIMES.flatMap((name) => {
    const times = figures.times(name);
    return times ? [[name, ...timesRow(times)]] : [];
  });
  return columns([["between faults, milliseconds", ...TIMES_HEAD], ...rows], "").join("\n");
}

function memoryLine(sizes: readonly number[]): string {
  const quarter = Math.max(1, Math.floor(sizes.length / 4));
  const most = (of: readonly number[]) => (Math.max(0, ...of) / MB).toFixed(0);
  return `${most(sizes.slice(0, quarter))} MB at most in the first quarter of the run, ${most(sizes.slice(-quarter))} MB in the last one`;
}
