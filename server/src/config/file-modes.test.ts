import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { parseConfig } from "./config.ts";
import { checkFileModes } from "./file-modes.ts";

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "muster-modes-"));
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

async function file(path: string, mode: number): Promise<string> {
  await writeFile(path, "x");
  await chmod(path, mode);
  return path;
}

const check = (dataDir: string, env: Record<string, string> = {}) =>
  checkFileModes(parseConfig({ MUSTER_DATA_DIR: dataDir, ...env }));

test("private files, and files that do not exist yet, cause no warning", async (t) => {
  const dataDir = await folder(t);
  assert.deepEqual(await check(dataDir), []);
  assert.deepEqual(await check(join(dataDir, "absent")), []);
  await file(join(dataDir, "master.key"), 0o600);
  await file(join(dataDir, "master.key.next"), 0o400);
  assert.deepEqual(await check(dataDir), []);
});

test("a master key, or its successor, that other users can read or write prevents startup and names the command that fixes it", async (t) => {
  for (const name of ["master.key", "master.key.next"])
    for (const mode of [0o604, 0o602, 0o644, 0o666]) {
      const dataDir = await folder(t);
      const path = await file(join(dataDir, name), mode);
      await assert.rejects(check(dataDir), (error: Error) => error.message.includes(`Run chmod 600 ${path}`), name);
    }
  const elsewhere = await file(join(await folder(t), "key"), 0o644);
  const dataDir = await folder(t);
  await assert.rejects(
    check(dataDir, { MUSTER_MASTER_KEY_FILE: elsewhere }),
    /has mode 0644: every user of this machine/,
  );
  const key = Buffer.alloc(32, 1).toString("base64");
  await file(join(dataDir, "master.key"), 0o644);
  assert.deepEqual(await check(dataDir, { MUSTER_MASTER_KEY: key }), [], "a file that is not used");
});

test("a master key that its group can read causes a warning, because secret stores mount it so", async (t) => {
  const dataDir = await folder(t);
  await file(join(dataDir, "master.key"), 0o440);
  assert.match((await check(dataDir)).join(), /^the master key \(.*\) has mode 0440: its group can use it/);
});

test("a TLS key that other users can read, and a data folder that is not private, cause warnings", async (t) => {
  const dataDir = await folder(t);
  const keyFile = await file(join(dataDir, "tls.key"), 0o644);
  const env = { MUSTER_TLS_CERT_FILE: join(dataDir, "tls.pem"), MUSTER_TLS_KEY_FILE: keyFile };
  assert.match((await check(dataDir, env)).join(), /^the TLS key \(.*\) has mode 0644/);
  await chmod(keyFile, 0o640);
  assert.deepEqual(await check(dataDir, env), []);
  await chmod(dataDir, 0o755);
  assert.match((await check(dataDir)).join(), /has mode 0755: other users can list it\. Run chmod 700 /);
  await chmod(dataDir, 0o777);
  assert.match((await check(dataDir)).join(), /has mode 0777: other users can replace its control socket and its keys/);
});
