import assert from "node:assert/strict";
import { test } from "node:test";
import { LogSummary } from "./logs.ts";

const ended = (why: string) =>
  JSON.stringify({ level: "error", msg: "a process of the service ended; restarting it", why });

test("killed processes and failing databases are counted, what nothing has handled is a failure", () => {
  const logs = new LogSummary();
  const lost = JSON.stringify({ level: "warn", msg: "a database connection broke" });
  const unavailable = { level: "error", msg: "request failed", err: { stack: "Error: Connection terminated" } };
  const starting = { level: "error", msg: "request failed", err: { code: "57P03" } };
  logs.add([JSON.stringify(unavailable), JSON.stringify(starting)]);
  assert.equal(logs.unhandled.size, 0);
  logs.entries.clear();
  logs.add([lost, lost, ended("SIGKILL"), JSON.stringify({ level: "info", msg: "ready" }), ""]);
  assert.deepEqual(
    [...logs.entries.values()].map(({ count }) => count),
    [2, 1],
  );
  assert.equal(logs.unhandled.size, 0);
  logs.add([
    ended("exit code 1"),
    "TypeError: x is not a function",
    JSON.stringify({ level: "error", msg: "request failed" }),
  ]);
  assert.deepEqual([...logs.unhandled.keys()].length, 3);
});
