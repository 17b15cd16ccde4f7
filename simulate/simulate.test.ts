import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { systemClock } from "../server/src/lib/clock.ts";
import { onPostgres, testDatabase } from "../server/test/harness/database/database.ts";
import { newKey, newTenant, type TestTenant } from "../server/test/harness/devices.ts";
import { natsMissing } from "../server/test/harness/processes/nats-server.ts";
import { startServer, type TestServer } from "../server/test/harness/server.ts";
import { end, figuresOf, start } from "./test-support/simulator.ts";

const LOAD = ["--every", "0.2", "--seconds", "1", "--ramp", "100", "--qos", "0:1,1:2,2:1"];

describe("the simulator", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "muster-simulate-"));
  });
  after(() => rm(folder, { recursive: true }));

  test("lists its options, and refuses others with exit code 2", async () => {
    const help = await end(start(["--help"]));
    assert.equal(help.code, 0);
    assert.match(help.stdout, /--kill-node <n>/);
    const wrong = await end(start(["--start", "many"]));
    assert.deepEqual([wrong.code, wrong.stdout], [2, ""]);
    assert.match(wrong.stderr, /^--start many: a whole number from 1 to 9 is valid\./);
  });

  describe("against a Muster that runs", () => {
    let server: TestServer;
    let tenant: TestTenant;
    let named: string[];

    before(async () => {
      server = await startServer({ machineClock: systemClock });
      tenant = await newTenant(server);
      const scopes = ["provisioning:write", "telemetry:read", "device-registry:delete"];
      const certificates = ["device-certificates:read", "device-certificates:revoke"];
      const [ca, keys, gateways] = [join(folder, "ca.pem"), join(folder, "keys"), join(folder, "gateways")];
      await writeFile(ca, server.ca);
      await writeFile(keys, `# keys\n${await newKey(server, tenant, ...scopes, ...certificates)}\n`);
      const filter = `t/${tenant.slug}/telemetry/+`;
      const client = { clientId: "gateway", username: "gateway", subscribe: [filter] };
      const { password } = await server.app.connections.createMqttClient(tenant.caller, client);
      await writeFile(gateways, `gateway gateway ${password} ${filter}\n`);
      const address = ["--https", server.httpUrl, "--ca", ca, "--api-key-file", keys, "--gateways", gateways];
      named = [...address, "--device-type", tenant.deviceTypeId];
    });
    after(() => server.stop());

    const devices = async () => (await server.app.devices.listDevices(tenant.caller, { skip: 0, limit: 1 })).total;

    test("devices enroll, publish, survive a storm, are revoked and removed", async () => {
      const course = "--devices 20 --storms 1 --revoke 2 --check-stored 5".split(" ");
      const result = await figuresOf(folder, [...named, ...LOAD, ...course]);
      const phaseNamed = (wanted: string) => result.phases.find(({ name }: { name: string }) => name === wanted);
      const storm = phaseNamed("storm");
      assert.deepEqual([storm.back.lost, storm.counts.connected, storm.times.absence.count], [21, 21, 21]);
      assert.equal(phaseNamed("revocations").times.revocation.count, 2);
      assert.ok(result.totals.acknowledged > 60 && result.totals.received > 80);
      assert.deepEqual([result.lost, result.stored.devices, result.stored.lost], [0, 5, 0]);
      assert.equal(await devices(), 0);
    });

    test("devices of a file are enrolled once and stay", async () => {
      const kept = [...named, ...LOAD, "--keep", join(folder, "kept"), "--devices"];
      await figuresOf(folder, [...kept, "2"]);
      await figuresOf(folder, [...kept, "3"]);
      assert.equal(await devices(), 3);
    });

    for (const [at, line] of [
      ["while devices enroll", "devices enroll"],
      ["while they publish", "steady"],
    ] as const)
      test(`a signal ${at} removes those that the run has enrolled`, async () => {
        const before = await devices();
        const child = start([...named, "--devices", "5"]);
        child.stderr!.on("data", (text) => String(text).includes(line) && child.kill("SIGINT"));
        const { code, stderr } = await end(child);
        assert.equal(code, 3);
        assert.match(stderr, /The run could not be completed: stopped by SIGINT/);
        assert.equal(await devices(), before);
      });

    test("a file that cannot be read is refused with the name of its option", async () => {
      const missing = join(folder, "missing");
      const { code, stderr } = await end(start(named.with(named.indexOf("--api-key-file") + 1, missing)));
      assert.equal(code, 2);
      assert.match(stderr, /The file of --api-key-file cannot be read: ENOENT.*missing/);
    });

    test("a refusal of the API ends the run with its message", async () => {
      const wrong = join(folder, "wrong");
      await writeFile(wrong, await newKey(server, tenant, "devices:read"));
      const args = named.with(named.indexOf("--api-key-file") + 1, wrong);
      const { code, stderr } = await end(start(args));
      assert.equal(code, 3);
      assert.match(stderr, /POST \/provisioning\/claims: 403 insufficient_scope/);
    });
  });

  test("a node that it has started itself is loaded", async () => {
    if (onPostgres) return;
    const course = "--start 1 --devices 5 --commands 20".split(" ");
    const { phases, stored, lost } = await figuresOf(folder, [...course, ...LOAD]);
    assert.deepEqual([stored.lost, lost], [0, 0]);
    assert.ok(phases.some(({ counts }: { counts: { commands?: number } }) => (counts.commands ?? 0) > 0));
  });

  test("what is acknowledged is stored once and in order although workers and PostgreSQL are killed and a node is cut off", {
    skip: natsMissing ?? false,
  }, async () => {
    if (!onPostgres) return;
    const kinds = ["worker", "database killed", "nats cut"].flatMap((kind) => ["--fault", kind]);
    const faults = ["--faults", "3", "--seed", "1", "--longest", "1", ...kinds];
    const load = ["--devices", "20", "--every", "0.2", "--seconds", "1"];
    const { code, stdout, stderr } = await end(start(["--start", "2", "--nats", "1", ...load, ...faults]));
    assert.equal(code, 0, `${stderr}\n${stdout}`);
    assert.match(stdout, /stored +\d{3,} messages compared: 0 lost, 0 twice, 0 out of order/);
    assert.match(stdout, /\nall +3 /);
  });

  test("two nodes with NATS: all are back after a storm and when a node is killed, and nothing is lost when a NATS server is", {
    skip: natsMissing ?? false,
  }, async () => {
    if (!onPostgres) return;
    const database = await testDatabase();
    const nodes = `--start 2 --nats 2 --database ${database.url} --devices 20 --commands 10`.split(" ");
    const events = "--storms 1 --kill-node 2 --kill-nats 1".split(" ");
    const result = await figuresOf(folder, [...nodes, ...LOAD, ...events]);
    const backs = result.phases.flatMap(({ back }: { back?: { lost: number } }) => (back ? [back.lost] : []));
    assert.deepEqual(backs, [22, 11, 0]);
    assert.deepEqual([result.lost, result.stored.lost, result.totals["out of order"]], [0, 0, 0]);
    const steady = result.phases.find(({ name }: { name: string }) => name === "steady");
    assert.ok(steady.times["delivery, other address"].count > 0);
    await database.remove();
  });
});
