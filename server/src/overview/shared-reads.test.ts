import assert from "node:assert/strict";
import { test } from "node:test";
import type { Db } from "../db/database.ts";
import { SharedReads } from "./shared-reads.ts";

/** Reads that end on the test's command. */
function reads() {
  const begun: PromiseWithResolvers<number>[] = [];
  const read = () => {
    begun.push(Promise.withResolvers<number>());
    return begun.at(-1)!.promise;
  };
  return { begun, read };
}

const idle = () => new Promise(setImmediate);

test("a tenant has one read at a time, requests for the same before it begins share it, and other tenants are not delayed", async () => {
  const [db, shared] = [{} as Db, new SharedReads<number>()];
  const { begun, read } = reads();
  const first = shared.read(db, "acme", "ada", read);
  await idle();
  const next = [1, 2, 3].map(() => shared.read(db, "acme", "ada", read));
  const colleague = shared.read(db, "acme", "bo", read);
  await idle();
  assert.equal(begun.length, 1);
  const other = shared.read(db, "other", "cy", read);
  await idle();
  assert.equal(begun.length, 2);
  begun[1]!.resolve(9);
  assert.equal(await other, 9);
  begun[0]!.resolve(1);
  assert.equal(await first, 1);
  await idle();
  assert.equal(begun.length, 3);
  begun[2]!.resolve(2);
  assert.deepEqual(await Promise.all(next), [2, 2, 2]);
  await idle();
  begun[3]!.resolve(3);
  assert.equal(await colleague, 3);
});

test("a failed read fails for all that share it, and the next one runs", async () => {
  const [db, shared] = [{} as Db, new SharedReads<number>()];
  const { begun, read } = reads();
  const first = [1, 2].map(() => shared.read(db, "acme", "ada", read));
  await idle();
  const next = shared.read(db, "acme", "ada", read);
  begun[0]!.reject(new Error("no database"));
  for (const each of first) await assert.rejects(each, /no database/);
  await idle();
  begun[1]!.resolve(2);
  assert.equal(await next, 2);
});
