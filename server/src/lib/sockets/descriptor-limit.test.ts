import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_LIMITS } from "../limits/limits.ts";
import { descriptorLimit, descriptorsNeeded } from "./descriptor-limit.ts";

const LINES = (soft: string) => `Limit                     Soft Limit           Hard Limit           Units
Max processes             15210                15210                processes
Max open files            ${soft.padEnd(20)} 1048576              files
`;

test("the limit on open files is the soft one", () => {
  assert.equal(
    descriptorLimit(() => LINES("1024")),
    1024,
  );
  assert.equal(
    descriptorLimit(() => LINES("unlimited")),
    Number.POSITIVE_INFINITY,
  );
});

test("a system that reports no limit has no known limit", () => {
  assert.equal(
    descriptorLimit(() => "Max processes 1"),
    undefined,
  );
  assert.equal(
    descriptorLimit(() => {
      throw new Error("ENOENT");
    }),
    undefined,
  );
});

test("the number needed covers every cap on connections", () => {
  const { mqttConnections, mqttUnauthenticated, httpsConnections } = DEFAULT_LIMITS;
  assert.ok(descriptorsNeeded(DEFAULT_LIMITS) > mqttConnections + mqttUnauthenticated + httpsConnections);
});
