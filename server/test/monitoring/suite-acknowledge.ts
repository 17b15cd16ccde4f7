import assert from "node:assert/strict";
import { test } from "node:test";
import { newKey } from "../harness/devices.ts";
import { NOWHERE, observed, refusal, type World } from "./world.ts";

/** Who looked at an anomaly. */
export function acknowledgeRules(given: () => World): void {
  test("acknowledging says who looked first and what they said; again it changes nothing", async () => {
    const { server, tenant, ask, newDevice, newPack } = given();
    const device = await newDevice(tenant);
    const pack = await newPack(tenant);
    const [{ id } = { id: "" }] = await server.app.rules.openAnomalies([observed(device.uid, pack, 91)]);
    const at = server.clock.now().toISOString();
    const key = await newKey(server, tenant, "anomalies:write");
    const by = `apikey:${key.split("_")[1]}`;
    const first = await ask("POST", `anomalies/${id}/acknowledge`, { comment: " On it " }, { "x-api-key": key });
    assert.equal(first.status, 200, first.text);
    const { status, acknowledgedAt, acknowledgedBy, comment, resolvedAt } = first.json;
    assert.deepEqual(
      [status, acknowledgedAt, acknowledgedBy, comment, resolvedAt],
      ["acknowledged", at, by, "On it", null],
    );

    server.clock.advance(1_000);
    for (const body of [{ comment: "Me too" }, {}, undefined]) {
      const again = await ask("POST", `anomalies/${id}/acknowledge`, body);
      assert.deepEqual([again.status, again.text], [200, first.text]);
    }
    const results = (await server.app.access.listApiWrites(tenant.caller, { skip: 0, limit: 500 }))
      .filter(({ resourceId }) => resourceId === id)
      .map(({ resource, operation, result }) => [resource, operation, result].join());
    assert.deepEqual(results, [
      ...Array(3).fill("anomaly,acknowledgeAnomaly,unchanged"),
      "anomaly,acknowledgeAnomaly,updated",
    ]);

    const [counted] = await server.app.rules.openAnomalies([observed(device.uid, pack, 93)]);
    assert.deepEqual([counted!.id, counted!.status, counted!.occurrences], [id, "acknowledged", 2]);
  });

  test("acknowledging a resolved anomaly records who looked and leaves it resolved", async () => {
    const { server, tenant, ask, newDevice, newPack } = given();
    const device = await newDevice(tenant);
    const pack = await newPack(tenant);
    const [{ id } = { id: "" }] = await server.app.rules.openAnomalies([observed(device.uid, pack, 91)]);
    await server.app.rules.resolveAnomalies("system", [{ deviceUid: device.uid, ruleId: pack.rules[0]!.id }]);
    const { json } = await ask("POST", `anomalies/${id}/acknowledge`);
    assert.deepEqual([json.status, json.comment, json.resolvedBy], ["resolved", null, "system"]);
    assert.match(json.acknowledgedBy, /^apikey:/);
    assert.equal((await ask("POST", `anomalies/${id}/acknowledge`, { comment: "late" })).json.comment, null);
  });

  test("a body that says something else is refused, an unknown anomaly is not found", async () => {
    const { server, stranger, ask, newDevice, newPack } = given();
    const device = await newDevice(stranger);
    const [theirs] = await server.app.rules.openAnomalies([observed(device.uid, await newPack(stranger), 91)]);
    for (const body of [null, [], "x", { comment: 1 }, { comment: "x".repeat(2_001) }, { status: "resolved" }])
      assert.deepEqual(refusal(await ask("POST", `anomalies/${NOWHERE}/acknowledge`, body)).slice(0, 2), [
        400,
        "invalid_request",
      ]);
    const unknown = await ask("POST", `anomalies/${NOWHERE}/acknowledge`);
    for (const id of [theirs!.id, "x", theirs!.id.toUpperCase()]) {
      const answer = await ask("POST", `anomalies/${id}/acknowledge`);
      assert.deepEqual([answer.status, answer.json.message], [404, unknown.json.message]);
    }
    assert.equal((await server.app.anomalies.getAnomaly(stranger.caller, theirs!.id)).status, "open");
    assert.equal((await ask("GET", `anomalies?deviceId=${device.id}`)).json.total, 0);
  });

  test("whoever wins, an anomaly that is acknowledged and resolved at once is resolved and knows who looked", async () => {
    const { server, second, tenant, newDevice, newPack } = given();
    const pack = await newPack(tenant);
    const devices = await Promise.all(Array.from({ length: 8 }, () => newDevice(tenant)));
    const opened = await server.app.rules.openAnomalies(devices.map(({ uid }) => observed(uid, pack, 91)));
    const watches = devices.map(({ uid }) => ({ deviceUid: uid, ruleId: pack.rules[0]!.id }));
    await Promise.all([
      ...opened.map(({ id }) => server.app.anomalies.acknowledgeAnomaly(tenant.caller, id, "first")),
      ...watches.map((watch) => second.app.rules.resolveAnomalies("system", [watch])),
      ...opened.map(({ id }) => second.app.anomalies.acknowledgeAnomaly(tenant.caller, id, "second")),
    ]);
    for (const { id } of opened) {
      const { status, comment, acknowledgedBy } = await server.app.anomalies.getAnomaly(tenant.caller, id);
      assert.deepEqual([status, acknowledgedBy], ["resolved", "system"]);
      assert.ok(comment === "first" || comment === "second");
    }
  });
}
