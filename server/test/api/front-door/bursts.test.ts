import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  newKey,
  newTenant,
  redeem,
  redemption,
  renew,
  type TestDevice,
  type TestTenant,
} from "../../harness/devices.ts";
import type { HttpAnswer } from "../../harness/http/http-answer.ts";
import { https } from "../../harness/http/https.ts";
import { startServer, type TestServer } from "../../harness/server.ts";

/**
 * The requests of many honest clients of one address within a minute. The test's clock stands still, so that no budget
 * refills.
 */
let server: TestServer;
let tenant: TestTenant;

const folder = mkdtempSync(join(tmpdir(), "muster-app-"));
/** As many files as the first load of the app and some of its screens have. */
const ASSETS = Array.from({ length: 60 }, (_, at) => `part-${at}.js`);

before(async () => {
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), '<div id="app"></div>');
  writeFileSync(join(folder, "routes.json"), JSON.stringify(["/"]));
  for (const name of ASSETS) writeFileSync(join(folder, "assets", name), `// ${"x".repeat(5_000)}`);
  server = await startServer({ env: { MUSTER_APP_DIR: folder } });
  tenant = await newTenant(server);
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

/** Runs `work` for each item, with this concurrency. */
async function inParallel<T, R>(items: readonly T[], atOnce: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const entries = items.entries();
  const worker = async () => {
    for (const [at, item] of entries) results[at] = await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

const statusesOf = (answers: readonly HttpAnswer[]) => [...new Set(answers.map(({ status }) => status))];
const count = (length: number) => Array.from({ length }, (_, at) => at);

test("500 devices redeem and 500 renew within a minute from one address, and none is refused", async () => {
  const wanted = { intendedName: "Burst", intendedDeviceTypeId: tenant.deviceTypeId, maxUses: 100 };
  const claims = await Promise.all(count(5).map(() => server.app.enrollment.createClaim(tenant.caller, wanted)));
  const devices: TestDevice[] = [];
  const redeemed = await inParallel(count(500), 20, async (nth) => {
    const { key, body } = await redemption(claims[nth % claims.length]!.claimCode);
    const answer = await redeem(server, body);
    const { clientCert, clientCertChain } = answer.json.mqtt ?? {};
    devices.push({ key, fullchain: clientCert + clientCertChain } as TestDevice);
    return answer;
  });
  assert.deepEqual(statusesOf(redeemed), [200]);
  const renewed = await inParallel(devices, 20, async (device) => (await renew(server, device)).answer);
  assert.deepEqual(statusesOf(renewed), [200]);
});

test("100 clients with API keys behind one address start simultaneously on separate connections, and none is refused", async () => {
  const keys = await Promise.all(count(10).map(() => newKey(server, tenant, "devices:read")));
  const answers = await Promise.all(
    count(100).map(async (client) => {
      const agent = new Agent({ keepAlive: true });
      const list = () =>
        https(`${server.httpUrl}/api/v1/devices?limit=5`, {
          ca: server.ca,
          agent,
          headers: { "x-api-key": keys[client % keys.length]! },
        });
      const listed = [await list(), await list(), ...(await Promise.all([list(), list()]))];
      agent.destroy();
      return listed;
    }),
  );
  assert.deepEqual(statusesOf(answers.flat()), [200]);
});

test("20 browsers behind one address load the whole app with six connections each, and none is refused", async () => {
  const paths = ["/", "/app-settings.json", ...ASSETS.map((name) => `/assets/${name}`)];
  const answers = await Promise.all(
    count(20).map(async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 6 });
      const loaded = await inParallel(paths, 6, (path) => https(server.httpUrl + path, { ca: server.ca, agent }));
      agent.destroy();
      return loaded;
    }),
  );
  assert.deepEqual(statusesOf(answers.flat()), [200]);
});
