import assert from "node:assert/strict";
import { test } from "node:test";
import { type Environment, HOT, NOWHERE, refusal } from "./environment.ts";

/** Threshold packs: their rules, and the list. */
export function packRules(given: () => Environment): void {
  test("a pack is created with its defaults filled in, and found by id and by a part of its name", async () => {
    const { ask } = given();
    const made = await ask("POST", "thresholds", {
      name: "Cold chain 100%",
      rules: [{ metric: "temperature", operator: "outside", value: [2, 8], severity: "critical" }],
    });
    assert.equal(made.status, 201, made.text);
    const { id, rules, createdAt } = made.json;
    assert.deepEqual(made.json, {
      id,
      name: "Cold chain 100%",
      description: "",
      enabled: true,
      rules: [
        {
          id: rules[0].id,
          metric: "temperature",
          operator: "outside",
          value: [2, 8],
          clearValue: [2, 8],
          forSeconds: 0,
          clearForSeconds: 0,
          severity: "critical",
          message: "",
        },
      ],
      externalId: null,
      createdAt,
    });
    assert.equal((await ask("GET", `thresholds/${id}`)).text, made.text);
    for (const [q, total] of [
      ["chain 100%", 1],
      ["COLD", 1],
      ["%", 1],
      ["c_ain", 0],
    ] as const) {
      assert.equal((await ask("GET", `thresholds?q=${encodeURIComponent(q)}`)).json.total, total, q);
    }
  });

  test("an invalid rule is refused with its position", async () => {
    const { ask } = given();
    const wrong: [unknown, string][] = [
      [{}, "rules.0.metric"],
      [{ ...HOT, id: NOWHERE }, "rules.0.id"],
      [{ ...HOT, metric: "" }, "rules.0.metric"],
      [{ ...HOT, metric: "a\nb" }, "rules.0.metric"],
      [{ ...HOT, metric: "é".repeat(65) }, "rules.0.metric"],
      [{ ...HOT, operator: "above" }, "rules.0.operator"],
      [{ ...HOT, operator: "toString" }, "rules.0.operator"],
      [{ ...HOT, value: "90" }, "rules.0.value"],
      [{ ...HOT, value: null }, "rules.0.value"],
      [{ ...HOT, value: [1, 2] }, "rules.0.value"],
      [{ ...HOT, clearValue: 91 }, "rules.0.clearValue"],
      [{ ...HOT, operator: "eq", clearValue: 90 }, "rules.0.clearValue"],
      [{ ...HOT, operator: "outside", value: [8, 2] }, "rules.0.value"],
      [{ ...HOT, operator: "outside", value: [2, 8], clearValue: [1, 8] }, "rules.0.clearValue"],
      [{ ...HOT, operator: "outside", value: [1, 2, 3] }, "rules.0.value"],
      [{ ...HOT, forSeconds: 1.5 }, "rules.0.forSeconds"],
      [{ ...HOT, forSeconds: -1 }, "rules.0.forSeconds"],
      [{ ...HOT, clearForSeconds: 86_401 }, "rules.0.clearForSeconds"],
      [{ ...HOT, severity: "fatal" }, "rules.0.severity"],
      [{ ...HOT, message: "x".repeat(501) }, "rules.0.message"],
    ];
    for (const [rule, detail] of wrong) {
      const answer = await ask("POST", "thresholds", { name: "x", rules: [rule] });
      assert.deepEqual(refusal(answer), [400, "invalid_request", detail], JSON.stringify(rule));
    }
    const infinite = '{"name":"x","rules":[{"metric":"m","operator":"gt","value":1e999,"severity":"minor"}]}';
    assert.deepEqual(refusal(await ask("POST", "thresholds", infinite)).slice(0, 2), [400, "invalid_request"]);
    const bodies = [
      { name: "x", rules: [] },
      { name: "x", rules: Array(51).fill(HOT) },
      { name: "x" },
      { name: " ", rules: [HOT] },
      { name: "x", rules: [HOT], enabled: "yes" },
      { name: "x", rules: [HOT], createdAt: "2026-01-01T00:00:00Z" },
    ];
    for (const body of bodies)
      assert.deepEqual(refusal(await ask("POST", "thresholds", body)).slice(0, 2), [400, "invalid_request"]);
    assert.equal((await ask("POST", "thresholds", { name: "x", rules: Array(50).fill(HOT) })).status, 201);
  });
}
