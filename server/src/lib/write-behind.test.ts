import assert from "node:assert/strict";
import { test } from "node:test";
import { createWriteBehind } from "./write-behind.ts";

function collector(fail: (write: number) => boolean = () => false) {
  const failures: string[] = [];
  const written: string[][] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  let collected: string[] = [];
  let writes = 0;
  const write = async () => {
    if (fail(++writes)) throw new Error(`write ${writes} failed`);
    written.push(collected);
    collected = [];
    resolve();
  };
  const onFailure = (error: Error) => void failures.push(error.message);
  const behind = createWriteBehind(write, { delayMs: 5, retry: { afterMs: 5, onFailure } });
  const add = (item: string) => {
    collected.push(item);
    behind.schedule();
  };
  return { add, behind, written, failures, firstWrite: promise };
}

test("everything scheduled within the delay is written together, once", async () => {
  const { add, written, firstWrite } = collector();
  add("a");
  add("b");
  assert.deepEqual(written, []);
  await firstWrite;
  assert.deepEqual(written, [["a", "b"]]);
});

test("a scheduled write that fails is reported and retried", async () => {
  const { add, written, failures, firstWrite } = collector((write) => write < 3);
  add("a");
  await firstWrite;
  assert.deepEqual(written, [["a"]]);
  assert.deepEqual(failures, ["write 1 failed", "write 2 failed"]);
});

test("flush writes immediately and rejects if that fails", async () => {
  const { add, behind, written, failures } = collector((write) => write === 1);
  add("a");
  await assert.rejects(behind.flush(), /write 1 failed/);
  await behind.flush();
  assert.deepEqual([written, failures], [[["a"]], []]);
  await behind.stop();
});

test("stop writes one last time; nothing is scheduled afterwards", async () => {
  const { add, behind, written } = collector();
  add("a");
  await behind.stop();
  assert.deepEqual(written, [["a"]]);
  add("b");
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(written, [["a"]]);
});
