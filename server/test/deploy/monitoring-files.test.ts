/** The alerting rules and the dashboard use only metrics of a running service, and the documents list all of them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { load } from "js-yaml";
import { WorkerMetrics } from "../../src/workers/worker-metrics.ts";
import { startServer, type TestServer } from "../harness/server.ts";

const root = join(import.meta.dirname, "../../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Metrics that Prometheus itself adds, and those of Node that the supervisor of workers adds. */
const ADDED_METRICS = new Set(["up"]);
const ADDED_LABELS = new Set(["job", "instance", "le", "worker"]);

interface Alert {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; action: string };
}

const { groups } = load(read("deploy/prometheus/alerts.yaml")) as { groups: { name: string; rules: Alert[] }[] };
const alerts = groups.flatMap(({ rules }) => rules);
const dashboard = JSON.parse(read("deploy/grafana/muster.json")) as {
  panels: { id: number; title: string; targets?: { expr: string }[] }[];
  templating: { list: { query: string | { query: string } }[] };
};
const queries = [
  ...alerts.map(({ alert, expr }) => ({ of: alert, expr })),
  ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ of: title, expr }))),
];

let server: TestServer;
/** The declared names: a histogram stands for its buckets, sum and count. */
let exported: Map<string, string>;

before(async () => {
  server = await startServer();
  const text = await (await fetch(server.app.api.metricsUrl)).text();
  const ofSupervisor = await new WorkerMetrics(() => []).text();
  exported = new Map(
    [...`${text}\n${ofSupervisor}`.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!]),
  );
});
after(() => server.stop());

/**
 * Returns metric name → labels by which a query selects it. A function name is followed by a parenthesis, a duration
 * begins with a digit.
 */
function selectorsOf(expr: string): [name: string, labels: string[]][] {
  const withoutGrouping = expr.replace(/\b(by|without)\s*\([^)]*\)/g, "");
  return [...withoutGrouping.matchAll(/\b([a-z][a-z0-9_]*)\b(?!\s*\()(?:\{([^}]*)\})?/g)].map(
    ([, name, selector = ""]) => [name!, [...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label!)],
  );
}

function groupingOf(expr: string): string[] {
  return [...expr.matchAll(/\b(?:by|without)\s*\(([^)]*)\)/g)].flatMap(([, labels]) =>
    labels!.split(",").map((each) => each.trim()),
  );
}

function declaredName(name: string): string {
  const base = name.replace(/_(bucket|sum|count)$/, "");
  return exported.get(base) === "histogram" ? base : name;
}

/** The labels of each metric as docs/operations/metrics.md lists them. */
function documented(): Map<string, string[]> {
  const cells = read("docs/operations/metrics.md")
    .split("\n")
    .filter((line) => line.startsWith("| `muster_"))
    .map((line) => line.split(" | ")[0]!);
  const names = cells.flatMap((cell) => [...cell.matchAll(/`(muster_\w+)(?:\{([\w,]+)\})?`/g)]);
  return new Map(names.map(([, name, labels]) => [name!, labels?.split(",") ?? []]));
}

test("docs/operations/metrics.md names every metric of the service, and no other", () => {
  const ours = [...exported.keys()].filter((name) => name.startsWith("muster_"));
  assert.deepEqual([...documented().keys()].sort(), ours.sort());
});

test("every query of the alerting rules and the dashboard uses metrics that a running service exports, with their labels", () => {
  assert.ok(queries.length > 40);
  const labelsOf = documented();
  for (const { of, expr } of queries) {
    const selectors = selectorsOf(expr);
    const names = selectors.map(([name]) => declaredName(name));
    for (const name of names) assert.ok(exported.has(name) || ADDED_METRICS.has(name), `${of}: ${name}`);
    const known = new Set([...ADDED_LABELS, ...names.flatMap((name) => labelsOf.get(name) ?? [])]);
    for (const label of [...groupingOf(expr), ...selectors.flatMap(([, labels]) => labels)]) {
      assert.ok(known.has(label), `${of}: label ${label}`);
    }
    assert.equal(expr.split("(").length, expr.split(")").length, `${of}: parentheses`);
  }
});

test("every alert has a unique name, a severity, and an action whose pages and headings exist", () => {
  assert.equal(new Set(alerts.map(({ alert }) => alert)).size, alerts.length);
  for (const { alert, labels, annotations } of alerts) {
    assert.match(alert, /^Muster[A-Za-z]+$/);
    assert.ok(["critical", "warning", "info"].includes(labels.severity), alert);
    assert.ok(annotations.summary && annotations.action, alert);
    for (const [, page, heading] of annotations.action.matchAll(/(docs\/[\w/-]+\.md)(?:, "([^"]+)")?/g)) {
      const headings = read(page!)
        .match(/^#+ .*$/gm)!
        .map((line) => line.replace(/^#+ /, ""));
      if (heading !== undefined) assert.ok(headings.includes(heading), `${alert}: ${page}, ${heading}`);
    }
  }
});

test("every panel of the dashboard has a unique id and a query", () => {
  assert.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length);
  for (const { title, targets } of dashboard.panels)
    assert.ok(title && (targets === undefined || targets.length > 0), title);
});
