import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { SCOPES } from "../../src/access/access.ts";
import { createApi } from "../../src/cli/remote/api-client.ts";
import {
  type Applied,
  applyPlant,
  exportOf,
  type PlantFile,
  parsePlant,
  planOf,
  type Tenant,
  tenantOf,
} from "../../src/plant/plant.ts";
import { newKey, newTenant } from "../harness/devices.ts";
import { type CommandLine, startCommandLine } from "../harness/processes/command-line.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { plantOf } from "./plants.ts";

/** Plants: one file that describes a tenant. */
const folder = mkdtempSync(join(tmpdir(), "muster-plant-"));
const caFile = join(folder, "ca.pem");
const plantFile = join(folder, "plant.yaml");
const SMALL = { devices: 3, groups: 2, thresholds: 2, shifts: 2 };
let server: TestServer;
let commandLine: CommandLine;

before(async () => {
  [server, commandLine] = await Promise.all([startServer(), startCommandLine()]);
  writeFileSync(caFile, server.ca);
});
after(async () => {
  await commandLine.stop();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function tenantWith(...scopes: string[]) {
  const tenant = await newTenant(server);
  await server.app.devices.deleteDeviceType(tenant.caller, tenant.deviceTypeId);
  const apiKey = await newKey(server, tenant, ...scopes);
  const keyFile = join(folder, `key-${tenant.slug}`);
  writeFileSync(keyFile, apiKey);
  const target = ["--server", server.httpUrl, "--api-key-file", keyFile, "--ca-file", caFile];
  const api = createApi({ server: server.httpUrl, apiKey, ca: server.ca });
  return {
    ...tenant,
    send: api.send,
    plant: (counts: Parameters<typeof plantOf>[0] = SMALL) => plantOf(counts, `scada-${tenant.slug}`),
    muster: (...args: string[]) => commandLine.run([...args, ...target], join(folder, "nowhere")),
  };
}

const nothing = (): Applied => ({ done: [], refused: [], passwords: [] });
const write = (plant: object) => writeFileSync(plantFile, JSON.stringify(plant));

async function assertEquals(tenant: Tenant, plant: PlantFile) {
  const present = await tenant.read();
  assert.deepEqual(planOf(plant, present, { prune: true }), []);
  const counts = Object.entries(plant).map(([kind, entries]) => [kind, entries!.length]);
  assert.deepEqual(
    counts,
    counts.map(([kind]) => [kind, present[kind as keyof PlantFile].length]),
    "nothing twice",
  );
}

test("a plant of 500 devices is applied within a minute, and a second time without a change", async () => {
  const { muster, plant, send } = await tenantWith(...SCOPES);
  write(plant({ devices: 500, groups: 40, thresholds: 60, shifts: 30 }));
  const started = performance.now();
  const first = await muster("apply", "-f", plantFile, "--yes");
  const seconds = (performance.now() - started) / 1000;
  assert.deepEqual([first.stderr, first.code], ["", 0]);
  assert.match(first.stdout, /^Made 633 changes\.$/m);
  assert.match(first.stdout, /^Password of MQTT client scada-\S+: \S{20,}$/m);
  assert.ok(seconds < 60, `${seconds} s`);
  const second = await muster("apply", "-f", plantFile, "--yes");
  assert.deepEqual([second.stdout, second.stderr, second.code], ["No changes.\n", "", 0]);

  const exported = await muster("export");
  assert.ok(
    exported.stdout.startsWith(`# yaml-language-server: $schema=${server.httpUrl}/openapi/plant.schema.json\n`),
  );
  await assertEquals(tenantOf(send), parsePlant(exported.stdout, "export"));
});

test("drift is shown value by value, and apply reverts it alone", async () => {
  const { muster, plant, send } = await tenantWith(...SCOPES);
  write(plant());
  await muster("apply", "-f", plantFile, "--yes");
  const { thresholds, groups, devices } = await tenantOf(send).read();
  const pack = thresholds.find(({ externalId }) => externalId === "pack-1")!;
  const rules = pack.rules.map((rule: object) => ({ ...rule, value: 95 }));
  await send({ method: "PATCH", path: `/thresholds/${pack.id}`, body: { rules } });
  await send({ method: "PATCH", path: "/devices/pump-2", body: { groupIds: [], metadata: { place: { row: 7 } } } });
  await send({ method: "DELETE", path: "/devices/pump-3" });
  const { stdout, code } = await muster("diff", "-f", plantFile);
  assert.equal(code, 3);
  assert.equal(
    stdout,
    `~ threshold pack pack-1
    rules[0].value: 95 → 81
~ device pump-2
    groups: + "group-1"
    metadata.place.row: 7 → 2
+ device pump-3
`,
  );
  const { changes } = JSON.parse((await muster("diff", "-f", plantFile, "--json")).stdout);
  assert.deepEqual(changes[1].before, { groups: [], metadata: { hall: 3, place: { row: 7, column: 1 } } });
  assert.match((await muster("apply", "-f", plantFile, "--yes")).stdout, /^Made 3 changes\.$/m);
  const now = await tenantOf(send).read();
  assert.deepEqual([now.groups, now.devices.length], [groups, devices.length]);
  assert.equal((await muster("diff", "-f", plantFile)).code, 0);
});

test("apply that is killed before or after any request is completed by the next one", async () => {
  for (let lethal = 0, ended = false; !ended; lethal++)
    for (const when of ["before", "after"]) {
      const { plant: planned, send } = await tenantWith(...SCOPES);
      const plant = planned();
      let requests = 0;
      const mortal = tenantOf(async (request) => {
        const dies = requests++ === lethal;
        if (dies && when === "before") throw new Error("killed");
        const answer = await send(request);
        if (dies) throw new Error("killed");
        return answer;
      });
      const first = await applyPlant(plant, mortal, { prune: true, applied: nothing() }).catch(String);
      ended = first === undefined;
      const applied = nothing();
      await applyPlant(plant, tenantOf(send), { prune: true, applied });
      assert.deepEqual(applied.refused, [], `${when} request ${lethal}`);
      await assertEquals(tenantOf(send), plant);
    }
});

test("two runs at once create each record once", async () => {
  const { plant: planned, send } = await tenantWith(...SCOPES);
  const plant = planned({ devices: 60, groups: 5, thresholds: 5, shifts: 5 });
  const runs = [nothing(), nothing()];
  await Promise.all(runs.map((applied) => applyPlant(plant, tenantOf(send), { prune: false, applied })));
  assert.deepEqual(
    runs.flatMap(({ refused }) => refused.map(({ message }) => message)),
    [],
  );
  await assertEquals(tenantOf(send), plant);
});

test("a key does what its scopes allow; the rest, and what depends on it, is refused by name", async () => {
  const { muster, plant } = await tenantWith(...SCOPES.filter((scope) => scope !== "groups:write"));
  write(plant());
  const { stdout, stderr, code } = await muster("apply", "-f", plantFile, "--yes");
  assert.equal(code, 1);
  assert.match(stdout, /^Made 7 changes\.$/m);
  assert.match(stderr, /^muster: \+ group group-1: .*groups:write/m);
  assert.match(stderr, /^muster: \+ device pump-1: there is no group group-1$/m);
});

test("--prune deletes what apply made and the file lacks, but no device and nothing made by hand", async () => {
  const { muster, plant, send } = await tenantWith(...SCOPES);
  write(plant());
  await muster("apply", "-f", plantFile, "--yes");
  await send({ method: "POST", path: "/groups", body: { name: "By hand" } });
  write({ ...plant({ ...SMALL, devices: 0, groups: 1 }), mqttClients: [] });
  assert.deepEqual((await muster("diff", "-f", plantFile)).code, 0);
  assert.match(
    (await muster("diff", "-f", plantFile, "--prune")).stdout,
    /^- MQTT client scada-\S+\n- group group-2\n$/,
  );
  for (const { id } of (await tenantOf(send).read()).devices) await send({ method: "DELETE", path: `/devices/${id}` });
  assert.equal((await muster("apply", "-f", plantFile, "--prune", "--yes")).code, 0);
  const { groups } = exportOf(await tenantOf(send).read());
  assert.deepEqual(
    groups?.map(({ name }) => name),
    ["By hand", "Group 1"],
  );
});

test("a file with a mistake changes nothing, and the mistake is named", async () => {
  const { muster, plant, send } = await tenantWith(...SCOPES);
  const refused = async (plant: object) => {
    write(plant);
    const { stderr, code } = await muster("apply", "-f", plantFile, "--yes");
    assert.equal(code, 1);
    return stderr;
  };
  const { groups = [], ...rest } = plant();
  assert.match(await refused({ ...rest, groups: [{ ...groups[0], colour: "red" }] }), /groups\.0: .*colour/);
  assert.match(await refused({ ...rest, groups: [groups[0], groups[0]] }), /the file has the group group-1 twice/);
  assert.match(await refused(rest), /device pump-1: there is no group group-1, neither in the file nor/);
  assert.match((await muster("apply", "-f", join(folder, "none"))).stderr, /none cannot be read: ENOENT/);
  writeFileSync(plantFile, "groups: [");
  assert.match((await muster("diff", "-f", plantFile)).stderr, /is not YAML/);
  assert.deepEqual((await tenantOf(send).read()).shifts, []);
});

test("without --yes and a terminal, apply shows the plan and changes nothing", async () => {
  const { muster, plant, send } = await tenantWith(...SCOPES);
  write(plant());
  const { stdout, stderr, code } = await muster("apply", "-f", plantFile);
  assert.match(stdout, /^\+ device pump-1$/m);
  assert.match(stderr, /use --yes/);
  assert.deepEqual([code, (await tenantOf(send).read()).groups], [1, []]);
});
