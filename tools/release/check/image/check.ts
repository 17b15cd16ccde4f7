/** Unpacks the image and runs it as a container would: its user, its environment, a read-only root, one volume. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { imageFileName } from "../../image/build.ts";
import { STAND_IN_LABEL } from "../../image/stand-in.ts";
import { run } from "../../run.ts";
import type { CheckContext } from "../context.ts";
import { installNode } from "../nodes.ts";
import { installAgent } from "../packages.ts";
import { during, tellStory } from "../story.ts";
import { dumpOfPostgres, findDevices, MASTER_KEY, unpackDataFolder } from "../upgrade.ts";
import { type Container, containerOf, type UnpackedImage, unpackImage } from "./container.ts";
import { checkLicences } from "./licences.ts";
import { isLimited, type Memory, memoryOf, removeLimit } from "./memory.ts";
import { freePorts } from "./ports.ts";
import { withPostgres } from "./postgres.ts";

/** The time within which the service is ready on the embedded database with data. */
const MOST_START_MS = 5_000;
/** The number of attempts to start; other programs on this machine may slow one down. */
const STARTS = 3;
/** The time after which the memory of an idle service no longer changes. */
const IDLE_MS = 60_000;
/** The resident memory of an idle service with data, in megabytes. */
const MOST_MEMORY = { embedded: 400, PostgreSQL: 220 } as const;

export async function checkImage(context: CheckContext): Promise<void> {
  const { artifacts, out, root, version, work, say } = context;
  const image = await unpackImage(join(out, imageFileName(version)), work);
  checkConfiguration(image, version);
  const base = image.config.Labels[STAND_IN_LABEL] ?? "that of the Dockerfile";
  say(`user, volume of mode 0700, ports and labels; the base is ${base}`);
  const found = await checkLicences(root, image.rootFolder);
  say(`syft finds the ${found.npm} packages of npm with allowed licences, and ${found.debian} packages of Debian`);
  if (found.unlicensed.length > 0) say(`it finds no licence of Debian's ${found.unlicensed.join(", ")}`);
  try {
    const container = containerOf(image, join(work, "data"), await freePorts());
    await checkPrograms(container, version);
    say("muster is on the path of a container with a read-only root, npm is not");
    await checkFirstRun(container);
    say("set-up link, health check before, during and after a run, metrics at every address, doctor");
    const agent = await installAgent(join(work, "agent"), artifacts.agent, await installNode("24.21.0", work));
    await tellStory(container, agent, "image");
    say("a device enrolls, publishes, renews and outlives a restart");
    const old = containerOf(image, join(work, "old"), await freePorts());
    await unpackDataFolder(root, old.volume);
    await run("chown", ["--recursive", image.config.User, old.volume], { cwd: work });
    await findDevices(root, old);
    say(`the data folder that 1.0 left starts with it${isLimited() ? ", under the memory limit of compose.yaml" : ""}`);
    if (!isLimited()) say("no memory limit was tried: this machine allows no control group");
    await checkStart({ ...old, env: { ...old.env, MUSTER_MASTER_KEY: MASTER_KEY } }, say);
    await checkOnPostgres(context, image);
  } finally {
    removeLimit();
  }
}

function checkConfiguration({ config, rootFolder }: UnpackedImage, version: string): void {
  assert.equal(config.User, "1000:1000");
  assert.deepEqual(Object.keys(config.Volumes), ["/data"]);
  assert.deepEqual(Object.keys(config.ExposedPorts).sort(), ["8443/tcp", "8883/tcp", "9464/tcp"]);
  assert.equal(config.StopSignal, "SIGTERM");
  assert.equal(config.Labels["org.opencontainers.image.version"], version);
  assert.equal(config.Labels["org.opencontainers.image.licenses"], "Apache-2.0");
  const { mode, uid, gid } = statSync(join(rootFolder, "data"));
  assert.deepEqual([mode & 0o777, uid, gid], [0o700, 1000, 1000]);
}

/** Runs a program in the container as `docker exec` does, and returns its trimmed output. */
async function execute(container: Container, ...words: string[]): Promise<string> {
  const { command, env } = container.exec(words);
  return (await run(command[0]!, command.slice(1), { cwd: container.cwd, env })).trim();
}

async function checkPrograms(container: Container, version: string): Promise<void> {
  const inside = (...words: string[]) => execute(container, ...words);
  assert.equal(await inside("muster", "--version"), version);
  assert.equal(await inside("id", "-u"), "1000");
  assert.match(await inside("sh", "-c", "touch /muster/x /etc/x 2>&1 || true"), /(?:.*Read-only file system\n?){2}/);
  assert.equal(await inside("sh", "-c", "command -v npm npx yarn || echo none"), "none");
}

/** Does what docs/docker.md says around the first run, and reads the metrics from outside of it. */
async function checkFirstRun(container: Container): Promise<void> {
  const [form, ...words] = container.healthCheck;
  assert.equal(form, "CMD");
  const { command, env } = container.exec(words);
  const healthy = () => spawnSync(command[0]!, command.slice(1), { env, encoding: "utf8" });
  assert.equal(healthy().status, 1);
  await during(container, async () => {
    const { status, stderr } = healthy();
    assert.equal(status, 0, stderr);
    assert.match(await execute(container, "cat", "/data/setup-link"), /^https:\/\//);
    assert.match(await execute(container, "cat", "/data/tls/ca.pem"), /^-----BEGIN CERTIFICATE-----/);
    await execute(container, "muster", "doctor");
    for (const address of ["127.0.0.1", ...addresses()]) {
      const answer = await fetch(`http://${address}:${env.MUSTER_METRICS_PORT}/metrics`);
      assert.match(await answer.text(), /^muster_/m, address);
    }
  });
  assert.equal(healthy().status, 1);
}

function addresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all.filter(({ family, internal }) => family === "IPv4" && !internal).map(({ address }) => address);
}

/** Starts on the data of 1.0 until a start is fast enough, and measures the memory of the last one. */
async function checkStart(container: Container, say: (text: string) => void): Promise<void> {
  const times: number[] = [];
  while (times.length < STARTS && !times.some((each) => each <= MOST_START_MS)) {
    const started = performance.now();
    await during(container, async () => void times.push(Math.round(performance.now() - started)));
  }
  assert.ok(Math.min(...times) <= MOST_START_MS, `ready after ${times.join(", ")} ms, at most ${MOST_START_MS}`);
  say(`ready on the embedded database with data after ${times.at(-1)} ms`);
  say(await idleMemory(container, "embedded"));
}

async function idleMemory(container: Container, database: keyof typeof MOST_MEMORY): Promise<string> {
  let memory: Memory = { resident: 0, proportional: 0 };
  await during(container, async ({ pid }) => {
    await sleep(IDLE_MS);
    memory = memoryOf(pid);
  });
  const text = `idle with ${database}: ${memory.resident} MB resident, ${memory.proportional} MB in proportion`;
  assert.ok(memory.resident <= MOST_MEMORY[database], `${text}; at most ${MOST_MEMORY[database]} MB`);
  return text;
}

/** Migrates a dump that 1.0 left and starts on it. */
async function checkOnPostgres({ root, work, say }: CheckContext, image: UnpackedImage): Promise<void> {
  const file = join(work, "dump.sql");
  writeFileSync(file, dumpOfPostgres(root));
  await withPostgres(root, async (url) => {
    await run("psql", ["--quiet", "--set=ON_ERROR_STOP=1", "--file", file, url], { cwd: work });
    const env = { ...(await freePorts()), MUSTER_DATABASE_URL: url };
    const container = containerOf(image, join(work, "node"), env);
    await findDevices(root, container, "postgres.json");
    say("the dump of PostgreSQL that 1.0 left starts with it");
    say(await idleMemory({ ...container, env: { ...container.env, MUSTER_MASTER_KEY: MASTER_KEY } }, "PostgreSQL"));
  });
}
