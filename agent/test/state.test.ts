import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { type AgentError, loadCandidate, loadIdentity, makeCsr, makeKey } from "../src/index.ts";
import { diskSteps, type FileSteps } from "../src/state/files.ts";
import { type DeviceRecord, filesOf, type StateFiles } from "../src/state/identity.ts";
import { withStateLock } from "../src/state/lock.ts";
import { commitFiles, finishCommit, promoteCandidate, stageCandidate } from "../src/state/state.ts";
import { type Authority, newAuthority } from "./remote/authority.ts";
import { freshFolder } from "./remote/setup.ts";

const authority: Authority = await newAuthority();

/** Returns a new identity; `mark` distinguishes it from others. */
async function newFiles(mark: string): Promise<StateFiles> {
  const keyPem = await makeKey();
  const { certPem } = await authority.issue(makeCsr(keyPem), "dev-1");
  const device: DeviceRecord = {
    deviceId: "dev-1",
    server: "https://localhost",
    brokerUrl: "mqtts://localhost",
    topicPrefix: "t/a",
    publishTopics: [],
    subscribeTopics: [],
    certExpiresAt: "",
    renewAfterUtc: "",
    renewalEndpoint: "/",
    hardwareFingerprint: mark,
    hardwareModel: "",
    agentVersion: "",
  };
  const issued = {
    keyPem,
    clientCert: certPem,
    clientCertChain: authority.chainPem,
    serverCaBundle: authority.rootPem,
  };
  return filesOf(issued, device, undefined);
}

const OLD = await newFiles("old");
const NEW = await newFiles("new");

class PowerCut extends Error {}

/** The disk until the power fails at step number `at`: before the step, or in the middle of a write. */
function failingAt(at: number): { steps: FileSteps; count: () => number } {
  let done = 0;
  const guard = async (step: () => Promise<void>, halfway?: () => Promise<void>) => {
    if (done++ === at) {
      await halfway?.();
      throw new PowerCut();
    }
    await step();
  };
  return {
    count: () => done,
    steps: {
      makeFolder: (path) => guard(() => diskSteps.makeFolder(path)),
      write: (path, text, mode) =>
        guard(
          () => diskSteps.write(path, text, mode),
          () => writeFile(path, text.slice(0, text.length / 2)),
        ),
      rename: (from, to) => guard(() => diskSteps.rename(from, to)),
      remove: (path) =>
        guard(
          () => diskSteps.remove(path),
          async () => {
            // Half of a folder's files are gone.
            const names = await readdir(path).catch(() => []);
            for (const name of names.slice(0, names.length / 2)) await diskSteps.remove(join(path, name));
          },
        ),
      syncFolder: (path) => guard(() => diskSteps.syncFolder(path)),
    },
  };
}

const markOf = async (stateDir: string) => (await loadIdentity(stateDir)).device.hardwareFingerprint;

/** Interrupts `change` at each of its steps and passes the resulting folder to `check`. */
async function atEveryStep(
  t: Parameters<typeof freshFolder>[0],
  prepare: (stateDir: string) => Promise<void>,
  change: (stateDir: string, steps: FileSteps) => Promise<void>,
  check: (stateDir: string, whole: boolean) => Promise<void>,
): Promise<number> {
  for (let at = 0; ; at++) {
    const stateDir = await freshFolder(t);
    await prepare(stateDir);
    const { steps, count } = failingAt(at);
    const whole = await change(stateDir, steps).then(
      () => true,
      (error) => {
        assert.ok(error instanceof PowerCut, error);
        return false;
      },
    );
    await check(stateDir, whole);
    if (whole) return count();
  }
}

/** Asserts that after recovery the plain files are one identity, and no other file is left. */
async function plainFilesAgree(stateDir: string): Promise<string> {
  const mark = await markOf(stateDir);
  const read = (name: string) => readFile(join(stateDir, name), "utf8");
  const expected = mark === "old" ? OLD : NEW;
  for (const name of ["key.pem", "cert.pem", "chain.pem", "fullchain.pem", "ca.pem", "device.json"] as const) {
    assert.equal(await read(name), expected[name]);
  }
  return mark;
}

test("a first identity interrupted at any step is complete or absent", async (t) => {
  const outcomes = new Set<string>();
  const steps = await atEveryStep(
    t,
    async () => {},
    (stateDir, steps) => commitFiles(stateDir, NEW, steps),
    async (stateDir, whole) => {
      const mark = await markOf(stateDir).catch((error: AgentError) => error.code);
      outcomes.add(mark);
      if (whole) assert.equal(mark, "new");
      // The next start cleans up the leftovers.
      await commitFiles(stateDir, NEW);
      assert.equal(await plainFilesAgree(stateDir), "new");
    },
  );
  assert.deepEqual([...outcomes], ["not_enrolled", "new"]);
  assert.ok(steps > 25, `${steps} steps`);
});

test("a replacement interrupted at any step leaves the old identity or the new one, and never returns to the old one", async (t) => {
  const outcomes: string[] = [];
  await atEveryStep(
    t,
    (stateDir) => commitFiles(stateDir, OLD),
    (stateDir, steps) => commitFiles(stateDir, NEW, steps),
    async (stateDir) => {
      const mark = await markOf(stateDir);
      outcomes.push(mark);
      await finishCommit(stateDir);
      assert.equal(await plainFilesAgree(stateDir), mark);
    },
  );
  assert.deepEqual(outcomes, [...outcomes].sort().reverse());
  assert.deepEqual([...new Set(outcomes)], ["old", "new"]);
});

test("a renewal interrupted at any step keeps the old identity until promotion, and never loses the candidate", async (t) => {
  await atEveryStep(
    t,
    (stateDir) => commitFiles(stateDir, OLD),
    (stateDir, steps) => stageCandidate(stateDir, NEW, steps),
    async (stateDir, whole) => {
      assert.equal(await plainFilesAgree(stateDir), "old");
      assert.equal((await loadCandidate(stateDir)) !== undefined || !whole, true);
    },
  );
  await atEveryStep(
    t,
    async (stateDir) => {
      await commitFiles(stateDir, OLD);
      await stageCandidate(stateDir, NEW);
    },
    promoteCandidate,
    async (stateDir) => {
      const mark = await markOf(stateDir);
      if (mark === "old") assert.ok(await loadCandidate(stateDir));
      await promoteCandidate(stateDir);
      assert.equal(await plainFilesAgree(stateDir), "new");
      assert.deepEqual(
        (await readdir(stateDir)).filter((name) => !/\.(pem|json)$/.test(name)),
        [],
      );
    },
  );
});

test("kill -9 at random moments of repeated replacement always leaves one complete identity", async (t) => {
  const stateDir = await freshFolder(t);
  await commitFiles(stateDir, OLD);
  const inputs = join(stateDir, "..", "inputs.json");
  await writeFile(inputs, JSON.stringify([OLD, NEW]));
  for (let round = 0; round < 8; round++) {
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, "remote/replace-repeatedly.ts"), stateDir, inputs],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    // The child prints a dot per replacement, and is killed after a different number of bytes each time.
    let dots = 0;
    for await (const chunk of child.stdout) {
      dots += (chunk as Buffer).length;
      if (dots > round) break;
    }
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    await loadIdentity(stateDir);
    await finishCommit(stateDir);
    await plainFilesAgree(stateDir);
  }
});

test("a reader concurrent with a replacing process never sees a mixture of two identities", async (t) => {
  const stateDir = await freshFolder(t);
  await commitFiles(stateDir, OLD);
  let replacing = true;
  const reader = (async () => {
    let reads = 0;
    while (replacing) {
      await loadIdentity(stateDir);
      reads++;
    }
    return reads;
  })();
  for (let i = 0; i < 20; i++) await commitFiles(stateDir, i % 2 === 0 ? NEW : OLD);
  replacing = false;
  assert.ok((await reader) > 0);
});

test("a key that does not belong to the certificate is reported as state_damaged", async (t) => {
  const stateDir = await freshFolder(t);
  await commitFiles(stateDir, OLD);
  await writeFile(join(stateDir, "key.pem"), NEW["key.pem"]);
  await assert.rejects(loadIdentity(stateDir), (error: AgentError) => error.code === "state_damaged");
});

test("one process at a time enrolls or renews, and the lock of an ended process is ignored", async (t) => {
  const stateDir = await freshFolder(t);
  await mkdir(stateDir);
  const lock = join(stateDir, "agent.lock");
  const work = () => withStateLock(stateDir, async () => "done");
  const locked = (error: AgentError) => error.code === "state_locked";
  await withStateLock(stateDir, async () => assert.rejects(work(), locked));
  await writeFile(lock, `${process.ppid}\n`);
  await assert.rejects(work(), locked);
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  await writeFile(lock, `${child.pid}\n`);
  assert.equal(await work(), "done");
  await writeFile(lock, `${process.pid}\n`);
  assert.equal(await work(), "done");
});
