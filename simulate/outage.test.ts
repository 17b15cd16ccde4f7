import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { onPostgres } from "../server/test/harness/database/database.ts";
import { natsMissing } from "../server/test/harness/processes/nats-server.ts";
import { figuresOf } from "./test-support/simulator.ts";

test("two nodes with the ingest stream: while PostgreSQL stands still, messages are acknowledged; then each is stored once and in order", {
  skip: natsMissing ?? false,
}, async (context) => {
  if (!onPostgres) return;
  const folder = await mkdtemp(join(tmpdir(), "muster-simulate-"));
  context.after(() => rm(folder, { recursive: true }));
  const args = ["--start", "2", "--nats", "1", "--ingest", "stream", "--devices", "10", "--every", "0.1"];
  const rest = ["--seconds", "1", "--pause-postgresql", "3", "--rules", "2", "--subscribers", "1"];
  const { phases, stored } = await figuresOf(folder, [...args, ...rest]);
  const paused = phases.find(({ name }: { name: string }) => name === "PostgreSQL paused");
  assert.ok(paused.counts.acknowledged > 100 && paused.measured.parts.length === 3);
  const { messages, lost, twice, outOfOrder, counted, toCount } = stored;
  assert.deepEqual([lost, twice, outOfOrder, counted, toCount], [0, 0, 0, 2 * messages, 2 * messages]);
});
