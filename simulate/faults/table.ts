import { readable } from "../../load/measure.ts";
import { columns } from "../../server/src/cli/output.ts";
import { Figures, type Timed } from "../figures/figures.ts";
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

/** The report of a run as text. */
export function faultReport(run: FaultRun, heading: string): string {
  const failures = [
    ...run.results.flatMap((each) => each.failures.map((what) => `${each.fault.kind}: ${what}`)),
    ...run.failures,
  ];
  return [
    heading,
    kindTable(run.results),
    quietTable(run.quiet),
    [
      `stored        ${run.total.messages} messages compared: ${run.total.lost} lost, ${run.total.twice} twice, ${run.total.disordered} out of order`,
      ...Object.entries(run.memory).map(([part, sizes]) => `memory        ${part}: ${memoryLine(sizes)}`),
    ].join("\n"),
    columns([["logged", "count"], ...[...run.logs.entries].map(([what, { count }]) => [what, String(count)])], "").join(
      "\n",
    ),
    failures.length === 0 ? "All as promised." : `FAILED:\n${failures.map((each) => `- ${each}`).join("\n")}`,
  ].join("\n\n");
}

/** The report for programs; times in milliseconds unless their names say otherwise. */
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
  return times && { count: times.count, p50: times.percentile(0.5), p99: times.percentile(0.99), max: times.maxMs };
}

function kindTable(results: readonly FaultResult[]): string {
  const rows = (Object.keys(FAULTS) as FaultKind[]).flatMap((kind) => {
    const of = results.filter(({ fault }) => fault.kind === kind);
    return of.length === 0 ? [] : [[kind, ...kindRow(of)]];
  });
  const head = [
    "fault",
    "count",
    "all back: median",
    "longest",
    "ack p50 ms",
    "p99",
    "late",
    "lost",
    "twice",
    "failed",
  ];
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
    if (!times) return [];
    return [
      [
        name,
        String(times.count),
        ...[0.5, 0.95, 0.99].map((share) => readable(times.percentile(share)!)),
        readable(times.maxMs),
      ],
    ];
  });
  return columns([["between faults, milliseconds", "count", "p50", "p95", "p99", "max"], ...rows], "").join("\n");
}

function memoryLine(sizes: readonly number[]): string {
  const quarter = Math.max(1, Math.floor(sizes.length / 4));
  const most = (of: readonly number[]) => (Math.max(0, ...of) / MB).toFixed(0);
  return `${most(sizes.slice(0, quarter))} MB at most in the first quarter of the run, ${most(sizes.slice(-quarter))} MB in the last one`;
}
