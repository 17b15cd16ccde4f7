import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { addMs, MINUTE, systemClock } from "./lib/clock.ts";
import { createLogger, type Logger } from "./lib/logger.ts";
import { setUpLinkFile } from "./set-up-link-file.ts";
import { storeSetUpLink } from "./show-set-up-link.ts";

const URL = "https://localhost:8443/setup#4uQ0mCw8S1yJYb2kq0Yd7mZ0m3pR1sTfVxG9hLkNoPa";
const root = mkdtempSync(join(tmpdir(), "muster-link-"));
after(() => rmSync(root, { recursive: true }));

let dataDir: string;
let file: string;
let log: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(root, "data-"));
  file = setUpLinkFile(dataDir);
  log = "";
});

const logger = (): Logger =>
  createLogger("info", {
    write(line) {
      log += line;
    },
  });
const store = (ms: number, atTerminal = false) =>
  storeSetUpLink({ url: URL, expiresAt: addMs(systemClock.now(), ms) }, { dataDir, atTerminal, logger: logger() });

test("without a terminal the link is in a file of the service's user, and the log names only the file and the command", async () => {
  writeFileSync(`${file}.new`, "of a process that was killed", { mode: 0o644 });
  writeFileSync(file, "of an earlier start", { mode: 0o644 });
  await store(MINUTE);
  assert.equal(readFileSync(file, "utf8").split("\n")[0], URL);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const { setupLinkFile, command } = JSON.parse(log);
  assert.deepEqual([setupLinkFile, command], [file, "muster setup-link"]);
  assert.ok(!log.includes("setup#"));
});

test("the file is removed when the link expires", async () => {
  const gone = new Promise<void>((resolve) => {
    const watcher = watch(dataDir, () => {
      if (existsSync(file) || log === "") return;
      watcher.close();
      resolve();
    });
  });
  await store(200);
  assert.ok(existsSync(file));
  // The timer of the service does not keep a process running.
  const running = setTimeout(() => undefined, MINUTE);
  await gone;
  clearTimeout(running);
});

test("at a terminal, and without a link, no file of an earlier start is left", async () => {
  for (const link of [undefined, { url: URL, expiresAt: addMs(systemClock.now(), MINUTE) }]) {
    writeFileSync(file, "of an earlier start");
    await storeSetUpLink(link, { dataDir, atTerminal: true, logger: logger() });
    assert.ok(!existsSync(file));
  }
  assert.equal(log, "");
});

test("a file that cannot be written is reported with the command, and the service starts", async () => {
  dataDir = join(dataDir, "missing");
  await store(MINUTE);
  assert.match(log, /"command":"muster setup-link"/);
  assert.ok(!log.includes("setup#"));
});
