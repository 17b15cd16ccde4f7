import assert from "node:assert/strict";
import { test } from "node:test";
import { newKey } from "../harness/devices.ts";
import { type Environment, HOT, NOWHERE, refusal } from "../rules/environment.ts";
import { newSender, newSenderOf, packOf } from "../rules/sender.ts";

/** Acknowledgements of anomalies. */
export function acknowledgeRules(given: () => Environment): void {
  /** A device with an open anomaly. */
  async function hotSender(env: Environment) {
    const sender = await newSender(env, await packOf(env, HOT));
    await sender.say({ temperature: 91 });
    const [{ id }] = await sender.anomalies();
    return { sender, id };
  }

  test("an acknowledgement records who made it and the comment; another one changes nothing", async () => {
    const env = given();
    const { server, tenant, ask } = env;
    const { sender, id } = await hotSender(env);
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
    const results = (await server.app.access.listApiWrites(tenant.caller, { skip: 0, limit: 500 })).items
      .filter(({ resourceId }) => resourceId === id)
      .map(({ resource, operation, result }) => [resource, operation, result].join());
    assert.deepEqual(results, [
      ...Array(3).fill("anomaly,acknowledgeAnomaly,unchanged"),
      "anomaly,acknowledgeAnomaly,updated",
    ]);

    await sender.say({ temperature: 93 }, 1);
    const [counted] = await sender.anomalies();
    assert.deepEqual([counted.id, counted.status, counted.occurrences], [id, "acknowledged", 2]);
  });

  test("acknowledging a resolved anomaly records who made it and leaves it resolved", async () => {
    const env = given();
    const { sender, id } = await hotSender(env);
    await sender.say({ temperature: 20 }, 1);
    const { json } = await env.ask("POST", `anomalies/${id}/acknowledge`);
    assert.deepEqual([json.status, json.comment, json.resolvedBy], ["resolved", null, "system"]);
    assert.match(json.acknowledgedBy, /^apikey:/);
    assert.equal((await env.ask("POST", `anomalies/${id}/acknowledge`, { comment: "late" })).json.comment, null);
  });

  test("an invalid body is refused, an unknown anomaly is not found", async () => {
    const env = given();
    const { server, otherTenant, ask } = env;
    const foreign = await newSenderOf(env, otherTenant, [await env.newPack(otherTenant)]);
    await foreign.say({ temperature: 91 });
    const [theirs] = await foreign.anomalies();
    for (const body of [null, [], "x", { comment: 1 }, { comment: "x".repeat(2_001) }, { status: "resolved" }])
      assert.deepEqual(refusal(await ask("POST", `anomalies/${NOWHERE}/acknowledge`, body)).slice(0, 2), [
        400,
        "invalid_request",
      ]);
    const unknown = await ask("POST", `anomalies/${NOWHERE}/acknowledge`);
    for (const id of [theirs.id, "x", theirs.id.toUpperCase()]) {
      const answer = await ask("POST", `anomalies/${id}/acknowledge`);
      assert.deepEqual([answer.status, answer.json.message], [404, unknown.json.message]);
    }
    assert.equal((await server.app.anomalies.getAnomaly(otherTenant.caller, theirs.id)).status, "open");
    assert.equal((await ask("GET", `anomalies?deviceId=${foreign.id}`)).json.total, 0);
  });

  test("an anomaly that is acknowledged twice and resolved at the same time ends resolved, with one of the two comments", async () => {
    const env = given();
    const { server, second, tenant } = env;
    const hot = await Promise.all(Array.from({ length: 8 }, () => hotSender(env)));
    await Promise.all([
      ...hot.map(({ id }) => server.app.anomalies.acknowledgeAnomaly(tenant.caller, id, "first")),
      ...hot.map(({ sender }) => sender.say({ temperature: 20 }, 1, second.app.telemetry)),
      ...hot.map(({ id }) => second.app.anomalies.acknowledgeAnomaly(tenant.caller, id, "second")),
    ]);
    for (const { id } of hot) {
      const { status, comment, acknowledgedBy } = await server.app.anomalies.getAnomaly(tenant.caller, id);
      assert.deepEqual([status, acknowledgedBy], ["resolved", "system"]);
      assert.ok(comment === "first" || comment === "second");
    }
  });
}
