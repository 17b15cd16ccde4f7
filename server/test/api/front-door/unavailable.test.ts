import assert from "node:assert/strict";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { onPostgres, testDatabase } from "../../harness/database/database.ts";
import { newKey, newTenant, redeem, redemption } from "../../harness/devices.ts";
import type { HttpAnswer } from "../../harness/http/http-answer.ts";
import { https } from "../../harness/http/https.ts";
import { startServer } from "../../harness/server.ts";

/**
 * A connection to the database that can be cut (connections end, new ones are refused) or frozen (nothing is
 * forwarded).
 */
async function wireTo(url: string) {
  const { hostname, port } = new URL(url);
  let state: "whole" | "cut" | "frozen" = "whole";
  const pairs = new Set<[near: Socket, far: Socket]>();
  const server = createServer((near) => {
    if (state === "cut") return void near.destroy();
    const far = connect(Number(port || 5432), hostname);
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    if (state === "whole") near.pipe(far).pipe(near);
    for (const socket of pair) {
      socket.on("error", () => undefined);
      socket.on("close", () => {
        pairs.delete(pair);
        for (const each of pair) each.destroy();
      });
    }
  });
  const hangUp = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const wired = new URL(url);
  wired.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: wired.href,
    cut: () => {
      state = "cut";
      hangUp();
    },
    freeze: () => {
      state = "frozen";
      for (const [near, far] of pairs) near.unpipe(far).pause();
    },
    /** Restores new connections; frozen ones end. */
    mend: () => {
      state = "whole";
      hangUp();
    },
    close: () => {
      hangUp();
      server.close();
    },
  };
}

async function timed(work: Promise<HttpAnswer>): Promise<HttpAnswer & { seconds: number }> {
  const started = performance.now();
  return { ...(await work), seconds: (performance.now() - started) / 1000 };
}

function assertUnavailable(answer: HttpAnswer & { seconds: number }): void {
  assert.deepEqual([answer.status, answer.json.error], [503, "catalog_unavailable"], answer.text);
  assert.ok(Number(answer.headers["retry-after"]) > 0);
  assert.ok(answer.seconds < 15, `${answer.seconds} s`);
}

/** The embedded database cannot disappear while the process runs, so there is nothing to test. */
const testOnPostgres = onPostgres ? test : () => undefined;

testOnPostgres(
  "without its database every request is answered 503 in time, and served again once it is back",
  async () => {
    const database = await testDatabase();
    const wire = await wireTo(database.url!);
    const server = await startServer({ env: { MUSTER_DATABASE_URL: wire.url } });
    try {
      const tenant = await newTenant(server);
      const key = await newKey(server, tenant, "devices:read");
      const list = () =>
        timed(https(`${server.httpUrl}/api/v1/devices`, { ca: server.ca, headers: { "x-api-key": key } }));
      const enroll = async () => timed(redeem(server, (await redemption("CLAIM-0000-0000-0000")).body));
      /** Retries on 503: a connection that broke in the outage may cost a request or two, as Retry-After says. */
      const servedAgain = async () => {
        for (let tries = 0; tries < 100; tries++) if ((await list()).status === 200) return true;
        return false;
      };
      assert.equal((await list()).status, 200);

      wire.cut();
      for (const answer of await Promise.all([list(), enroll(), list(), enroll()])) assertUnavailable(answer);
      const ready = await https(`${server.httpUrl}/readyz`, { ca: server.ca });
      assert.deepEqual([ready.status, ready.json.database], [503, false]);
      assert.equal((await https(`${server.httpUrl}/healthz`, { ca: server.ca })).status, 200);
      const metrics = await (await fetch(server.app.api.metricsUrl)).text();
      assert.match(metrics, /^muster_database_seconds_count /m);
      assert.doesNotMatch(metrics, /^muster_(anomalies_unresolved|roll_ups_due|notifications_waiting)\b/m);
      wire.mend();
      assert.ok(await servedAgain());
      assert.equal((await enroll()).status, 401);

      wire.freeze();
      for (const answer of await Promise.all([list(), enroll()])) assertUnavailable(answer);
      wire.mend();
      assert.ok(await servedAgain());
    } finally {
      await server.stop();
      wire.close();
      await database.remove();
    }
  },
);
