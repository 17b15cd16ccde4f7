import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_LIMITS } from "../lib/limits/limits.ts";
import { connectionsNeeded, limitsOf, poolsOf } from "./part.ts";

test("the pools shrink with the number of workers, so that 16 workers and the jobs need 121 connections", () => {
  assert.deepEqual(poolsOf({ role: "all", workers: 1 }), { main: 8, ingest: 6, connects: 4 });
  assert.deepEqual(poolsOf({ role: "serve", workers: 2 }), { main: 6, ingest: 4, connects: 3 });
  assert.deepEqual(poolsOf({ role: "serve", workers: 3 }), { main: 4, ingest: 3, connects: 2 });
  assert.deepEqual([1, 2, 4, 16].map(connectionsNeeded), [19, 37, 49, 121]);
});

test("per-address caps are divided by the number of workers, the others are not", () => {
  const divided = limitsOf(DEFAULT_LIMITS, { role: "serve", workers: 3 });
  const { mqttUnauthenticated, httpsConnectionsPerAddress, httpsUnauthenticatedRequests, mqttConnections } = divided;
  assert.deepEqual(
    [mqttUnauthenticated, httpsConnectionsPerAddress, httpsUnauthenticatedRequests, mqttConnections],
    [667, 334, 1_000, 50_000],
  );
  assert.equal(limitsOf(DEFAULT_LIMITS, { role: "all", workers: 1 }), DEFAULT_LIMITS);
});
