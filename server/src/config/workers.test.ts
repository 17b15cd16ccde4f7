import assert from "node:assert/strict";
import { test } from "node:test";
import { parseConfig } from "./config.ts";
import { workersOf } from "./workers.ts";

const URL = "postgres://u:p@localhost/m";
const LINUX = { platform: "linux", cores: 6 };

function workers(text: string | undefined, databaseUrl: string | undefined, machine = LINUX): number {
  return workersOf(parseConfig({ MUSTER_WORKERS: text, MUSTER_DATABASE_URL: databaseUrl }), machine);
}

test("one process serves unless more are requested; auto is one per core", () => {
  assert.deepEqual([workers(undefined, URL), workers("1", undefined), workers("4", URL)], [1, 1, 4]);
  assert.equal(workers("auto", URL), 6);
});

test("several workers are refused on the embedded database and on systems other than Linux, where auto means one", () => {
  assert.throws(
    () => workers("2", undefined),
    /MUSTER_WORKERS: the embedded database has one process; set MUSTER_DATABASE_URL/,
  );
  const given = { ...LINUX, source: "--workers" as const };
  assert.throws(() => workers("2", undefined, given), /^.*--workers: the embedded database has one process/s);
  const mac = { platform: "darwin", cores: 6 };
  assert.throws(() => workers("2", URL, mac), /MUSTER_WORKERS: several workers .* needs Linux; run one worker here/);
  assert.deepEqual([workers("auto", undefined), workers("auto", URL, mac)], [1, 1]);
});

test("an invalid number of workers is refused", () => {
  for (const wrong of ["0", "65", "1.5", "many", "-1"])
    assert.throws(() => workers(wrong, URL), /MUSTER_WORKERS must be a number from 1 to 64, or auto/, wrong);
});
