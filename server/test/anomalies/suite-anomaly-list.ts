import assert from "node:assert/strict";
import { test } from "node:test";
import { newTenant } from "../harness/devices.ts";
import { type Environment, HOT, refusal } from "../rules/environment.ts";
import { newSenderOf } from "../rules/sender.ts";

/** The list of anomalies. */
export function anomalyListRules(given: () => Environment): void {
  test("anomalies are listed newest first, paged, and filtered exactly", async () => {
    const env = given();
    const { server } = env;
    const tenant = await newTenant(server);
    const ask = (method: string, path: string) => env.ask(method, path, undefined, {}, { by: tenant });
    const pack = await env.newPack(tenant, HOT, { ...HOT, metric: "pressure", severity: "warning" });
    const [one, two] = [await newSenderOf(env, tenant, [pack]), await newSenderOf(env, tenant, [pack])];
    const ids: string[] = [];
    const times: Date[] = [];
    for (const [sender, metric] of [
      [one, "temperature"],
      [one, "pressure"],
      [two, "temperature"],
      [two, "pressure"],
    ] as const) {
      server.clock.advance(1_000);
      times.push(server.clock.now());
      await sender.say({ [metric]: 91 });
      ids.push((await ask("GET", "anomalies?limit=1")).json.items[0].id);
    }
    await ask("POST", `anomalies/${ids[1]}/acknowledge`);
    await two.say({ temperature: 20 });

    const found = async (query: string) => {
      const { json } = await ask("GET", `anomalies?${query}`);
      return [json.total, ...json.items.map(({ id }: { id: string }) => ids.indexOf(id))];
    };
    const at = (index: number, ms = 0) => encodeURIComponent(new Date(times[index]!.getTime() + ms).toISOString());
    const expected: [string, number[]][] = [
      ["", [4, 3, 2, 1, 0]],
      ["skip=1&limit=2", [4, 2, 1]],
      ["skip=9", [4]],
      ["status=open", [2, 3, 0]],
      ["status=acknowledged", [1, 1]],
      ["status=resolved", [1, 2]],
      ["severity=warning", [2, 3, 1]],
      ["severity=critical", [0]],
      [`deviceId=${one.id}`, [2, 1, 0]],
      [`deviceId=${one.id}&status=open`, [1, 0]],
      [`deviceId=${two.id}&severity=major&status=resolved`, [1, 2]],
      [`deviceId=${two.id}&limit=1`, [2, 3]],
      ["deviceId=a.b", [0]],
      [`from=${at(1)}`, [3, 3, 2, 1]],
      [`from=${at(1, 1)}`, [2, 3, 2]],
      [`to=${at(1)}`, [1, 0]],
      [`to=${at(1, 1)}`, [2, 1, 0]],
      [`from=${at(1)}&to=${at(3)}`, [2, 2, 1]],
      [`from=${at(3)}&to=${at(1)}`, [0]],
      [`from=${at(1).replace("Z", "001Z")}`, [2, 3, 2]],
      [`to=${at(1).replace("Z", "001Z")}`, [2, 1, 0]],
      [`from=${at(1).replace("Z", encodeURIComponent("+00:00"))}&status=open`, [1, 3]],
      ["from=0000-01-01T00:00:00Z&to=9999-12-31T23:59:59Z", [4, 3, 2, 1, 0]],
    ];
    for (const [query, rows] of expected) assert.deepEqual(await found(query), rows, query);
    assert.equal((await ask("GET", "anomalies?limit=1000&skip=-3")).json.limit, 200);
    for (const query of [
      "status=new",
      "severity=x",
      "from=yesterday",
      "to=2026-02-30T00:00:00Z",
      "from=1",
      "x=1",
      "skip=a",
    ])
      assert.deepEqual(refusal(await ask("GET", `anomalies?${query}`)).slice(0, 2), [400, "invalid_request"], query);
  });
}
