import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { MINUTE } from "../../../src/lib/clock.ts";
import { onPostgres } from "../../harness/database/database.ts";
import { connectMqtt, enrollDevice, newTenant } from "../../harness/devices.ts";
import { eventually } from "../../harness/eventually.ts";
import { https } from "../../harness/http/https.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { newBrowser, PASSWORD, signIn } from "../../harness/sign-in.ts";

const REQUESTS = 40;
const CONNECTS = 4;
const GUESS = { claimCode: "CLAIM-0000-0000-0000", hardwareFingerprint: "x", hardwareModel: "m", agentVersion: "1" };

/** The limits of an address apply across all nodes to which it connects. */
describe("two nodes that one address uses", () => {
  // The embedded database belongs to one process.
  if (!onPostgres) return;
  let nodes: [TestServer, TestServer];
  before(async () => {
    const env = {
      MUSTER_TRUSTED_PROXIES: "127.0.0.1",
      MUSTER_DEVICE_REQUESTS_PER_MINUTE: String(REQUESTS),
      MUSTER_LIMIT_SIGN_IN_REQUESTS_PER_MINUTE: String(REQUESTS),
    };
    const first = await startServer({ env });
    nodes = [first, await startServer({ env, share: first })];
  });
  after(async () => {
    for (const node of nodes.toReversed()) await node.stop();
  });

  const from = (address: string) => ({ "x-forwarded-for": address });
  const signInAt = (node: TestServer, address: string, email: string, password = "wrong") =>
    newBrowser(node).call("POST", "/session", { body: { email, password }, headers: from(address) });

  test("an address may make thirty guesses at claim codes in ten minutes, over both nodes", async () => {
    const guess = (node: TestServer) =>
      node.app.enrollment.redeemClaim({ address: "198.51.100.1" }, { ...GUESS, csr: "x" }).then(
        () => assert.fail(),
        ({ code }: { code: string }) => code,
      );
    for (let n = 0; n < 30; n++) assert.equal(await guess(nodes[n % 2]!), "invalid_claim_code");
    for (const node of nodes) assert.equal(await guess(node), "rate_limited");
    nodes[0].clock.advance(10 * MINUTE);
    const codes = await Promise.all(Array.from({ length: 40 }, (_, n) => guess(nodes[n % 2]!)));
    assert.equal(codes.filter((code) => code === "invalid_claim_code").length, 30);
  });

  test("an account may have ten failed sign-ins in ten minutes, over both nodes", async () => {
    const { email } = await signIn(nodes[0], await newTenant(nodes[0]), "viewer");
    for (let n = 0; n < 10; n++) assert.equal((await signInAt(nodes[n % 2]!, "192.0.2.9", email)).status, 401);
    for (const node of nodes) {
      const { status, json } = await signInAt(node, "192.0.2.10", email, PASSWORD);
      assert.deepEqual([status, json.error], [429, "sign_in_throttled"]);
    }
  });

  const requests = {
    "requests of devices": (node: TestServer, address: string) =>
      https(`${node.httpUrl}/api/provisioning/cert/renew`, { ca: node.ca, headers: from(address), body: {} }),
    "requests without a session": (node: TestServer, address: string) =>
      newBrowser(node).call("GET", "/setup", { headers: from(address) }),
  };
  for (const [what, ask] of Object.entries(requests)) {
    test(`${what} admitted by one node count at the other a second later; other addresses do not wait`, async () => {
      const at = async (node: TestServer, address: string) => (await ask(node, address)).status;
      for (let n = 0; n < REQUESTS; n++) assert.notEqual(await at(nodes[0], "203.0.113.1"), 429);
      assert.equal(await at(nodes[0], "203.0.113.1"), 429);
      let admitted = 0;
      assert.ok(
        await eventually(async () => {
          if ((await at(nodes[1], "203.0.113.1")) === 429) return true;
          assert.ok(++admitted <= REQUESTS, "the other node admits as many of its own");
          return false;
        }),
      );
      for (const node of nodes) assert.notEqual(await at(node, "203.0.113.2"), 429);
      // Requests that the other node reports late count in the next minute.
      const isAdmitted = async (node: TestServer) => {
        nodes[0].clock.advance(MINUTE);
        return (await at(node, "203.0.113.1")) !== 429;
      };
      for (const node of nodes) assert.ok(await eventually(() => isAdmitted(node)));
    });
  }
});

describe("two nodes to which devices of one address connect", () => {
  if (!onPostgres) return;

  test("CONNECTs admitted by one node count at the other", async (t) => {
    const env = { MUSTER_LIMIT_MQTT_CONNECTS_PER_MINUTE: String(CONNECTS) };
    const first = await startServer({ env });
    const second = await startServer({ env, share: first });
    t.after(async () => {
      await second.stop();
      await first.stop();
    });
    const device = await enrollDevice(first, await newTenant(first));
    const connects = async (node: TestServer) => {
      const client = await connectMqtt(node, device).catch(() => undefined);
      client?.end(true);
      return client !== undefined;
    };
    for (let n = 0; n < CONNECTS; n++) assert.ok(await connects(first));
    assert.equal(await connects(first), false);
    assert.ok(await eventually(async () => !(await connects(second))));
    first.clock.advance(MINUTE);
    assert.ok(await connects(second));
  });
});
