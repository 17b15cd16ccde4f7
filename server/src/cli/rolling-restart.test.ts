import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { socketPath } from "../control/socket-path.ts";
import { rollingRestart } from "./rolling-restart.ts";

/**
 * Runs a rolling restart against a service that answers the questions for its process with these pids; undefined breaks
 * the connection. The last answer is repeated.
 */
async function restartOf(pids: readonly (number | "unknown" | undefined)[], waitMs?: number) {
  const dataDir = await mkdtemp(join(tmpdir(), "muster-restart-"));
  const left = [...pids];
  const server = createServer((request, response) => {
    if (request.url === "/restart") return response.end('{"restarted":3}');
    const pid = left.length > 1 ? left.shift() : left[0];
    if (pid === undefined) return response.destroy();
    response.statusCode = pid === "unknown" ? 404 : 200;
    return response.end(JSON.stringify({ pid }));
  });
  await new Promise<void>((resolve) => server.listen(socketPath(dataDir), resolve));
  try {
    return { answer: await rollingRestart(dataDir, waitMs), left: left.length };
  } finally {
    server.close();
    await rm(dataDir, { recursive: true });
  }
}

test("a rolling restart ends when another process answers, even if the previous one breaks off", async () => {
  const { answer, left } = await restartOf([1, 1, undefined, 2]);
  assert.deepEqual([answer, left], [{ ok: true, result: { restarted: 3 } }, 1]);
});

test("a rolling restart of a service that does not know the command ends when one that does answers", async () => {
  const { answer, left } = await restartOf(["unknown", "unknown", 2]);
  assert.deepEqual([answer.ok, left], [true, 1]);
});

test("a rolling restart reports that the new process for the jobs does not answer in time", async () => {
  const { answer } = await restartOf([1], 0);
  assert.ok(!answer.ok);
  assert.match(answer.problem.message, /^The workers were replaced, but .* did not answer within 0 s\..* log /);
});
