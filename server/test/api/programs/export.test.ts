import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { HOUR, MINUTE } from "../../../src/lib/clock.ts";
import { sendPayloads } from "../../harness/anomalies.ts";
import { newKey, newTenant, type TestTenant } from "../../harness/devices.ts";
import { https } from "../../harness/http/https.ts";
import { assertRefused, publicApi } from "../../harness/http/public-api.ts";
import { startServer, type TestServer } from "../../harness/server.ts";

/** Telemetry of many devices through the API: pages, series, and files. */
const DEVICES = 20;
let server: TestServer;
let tenant: TestTenant;
let key: string;
let range: URLSearchParams;
/** What is stored, in the order of the walk. */
const stored: [string, string, unknown, string][] = [];

before(async () => {
  server = await startServer();
  await server.app.telemetry.maintainPartitions();
  tenant = await newTenant(server);
  key = await newKey(server, tenant, "telemetry:read");
  const where = { database: server.app.database, clock: server.clock };
  const to = server.clock.now().getTime();
  range = new URLSearchParams({ from: new Date(to - 2 * HOUR).toISOString(), to: new Date(to).toISOString() });
  for (let n = 0; n < DEVICES; n++) {
    const id = `pump-${String(n).padStart(2, "0")}`;
    await server.app.devices.createDevice(tenant.caller, { id, name: "Pump" });
    const messages = Array.from({ length: 110 }, (_, at) => ({
      ts: to - 2 * HOUR + at * MINUTE,
      values: { level: at - 50.5, note: `=${at}, "${n}"`, open: at % 2 === 0 },
    }));
    await sendPayloads(where, tenant.caller, id, [messages]);
    for (const metric of ["level", "note", "open"] as const)
      for (const { ts, values } of messages) stored.push([id, metric, values[metric], new Date(ts).toISOString()]);
  }
});
after(() => server.stop());

async function file(query: Record<string, string>, as = key) {
  const url = `${server.httpUrl}/api/v1/readings/export?${new URLSearchParams([...range, ...Object.entries(query)])}`;
  return await https(url, { ca: server.ca, headers: { "x-api-key": as } });
}

const readings = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

test("an export equals what is stored, and continues after any line", async () => {
  const { status, headers, text } = await file({});
  assert.deepEqual([status, headers["content-type"]], [200, "application/x-ndjson; charset=utf-8"]);
  const all = readings(text);
  assert.deepEqual(
    all.map(({ deviceId, metric, value, at }) => [deviceId, metric, value, at]),
    stored,
  );
  for (const at of [0, 109, 110, 3_000, all.length - 2]) {
    const rest = readings((await file({ cursor: all[at].cursor })).text);
    assert.deepEqual(rest, all.slice(at + 1));
  }
  assert.equal((await file({ cursor: all.at(-1).cursor })).text, "");
});

test("as CSV, numbers stay numbers and formulas do not run", async () => {
  const { headers, text } = await file({ format: "csv", deviceIds: "pump-03", metrics: "level,note" });
  assert.match(String(headers["content-type"]), /^text\/csv/);
  const [titles, ...lines] = text.trimEnd().split("\r\n");
  assert.equal(titles, "deviceId,metric,value,at,receivedAt,timeReplaced,cursor");
  assert.equal(lines.length, 220);
  assert.match(lines[0]!, /^pump-03,level,-50\.5,/);
  assert.match(lines[110]!, /^pump-03,note,"'=0, ""3""",/);
});

test("pages and series need the scope and answer in their documented shape", async () => {
  const { call } = publicApi(server, tenant);
  const { json } = await call("listFleetReadings", { query: `?${range}&limit=7&metrics=level` });
  assert.deepEqual([json.items.length, json.items[0].value], [7, -50.5]);
  const series = await call("listFleetSeries", { query: `?${range}&deviceIds=pump-00,pump-01&bucketSeconds=3600` });
  assert.equal(series.json.items.length, 6);
  assertRefused(await call("listFleetReadings", { query: `?${range}&limit=2000` }), 400, "invalid_request");
  assertRefused(await file({ cursor: "x" }), 400, "invalid_request");
  const other = await newKey(server, tenant, "devices:read");
  assertRefused(await file({}, other), 403, "insufficient_scope");
});

test("a key has one export at a time", async () => {
  const answers = await Promise.all(Array.from({ length: 6 }, () => file({})));
  for (const { status, text } of answers) {
    if (status === 200) assert.equal(readings(text).length, stored.length);
    else assert.equal(status, 429);
  }
  assert.ok(answers.some(({ status }) => status === 200));
});
