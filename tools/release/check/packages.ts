/** Installs the npm packages into empty folders and uses them. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../run.ts";
import type { CheckContext } from "./context.ts";
import { AGENT_NODES, environmentWith, installNode, OLDEST_SERVICE_NODE } from "./nodes.ts";
import { type Installation, ON_FREE_PORTS } from "./service.ts";
import { type InstalledAgent, tellStory } from "./story.ts";
import { upgradeEmbedded } from "./upgrade.ts";

/** A service that declares what a consumer's compiler must accept. */
const CONSUMER = `import { enroll, MusterAgent, type Command } from "@muster/agent";
const agent = new MusterAgent({ stateDir: "device", onCommand: async ({ topic }: Command) => console.log(topic) });
export const ready: Promise<void> = agent.connect();
export const enrolled: Promise<unknown> = enroll({
  server: "https://localhost:8443", claimCode: "", hardwareFingerprint: "", hardwareModel: "", stateDir: "device",
});
`;

export async function checkPackages({ artifacts, root, version, work, say }: CheckContext): Promise<void> {
  const env = environmentWith(await installNode(OLDEST_SERVICE_NODE, work));
  const folder = await installFile(join(work, "service"), artifacts.service, env);
  const muster = join(folder, "node_modules/.bin/muster");
  assert.equal((await run(muster, ["--version"], { cwd: folder, env })).trim(), version);
  say(`muster ${version} is installed with Node ${OLDEST_SERVICE_NODE}`);
  await run("npx", ["muster", "demo", "--check"], { cwd: folder, env });
  say("npx muster demo --check");
  const installation: Installation = {
    command: [muster],
    cwd: folder,
    env: { ...env, ...ON_FREE_PORTS, MUSTER_DATA_DIR: join(folder, "data") },
  };
  for (const node of AGENT_NODES) {
    const agent = await installAgent(join(work, `agent-${node}`), artifacts.agent, await installNode(node, work));
    await tellStory(installation, agent, `node${node.split(".")[0]}`);
    say(`the agent enrolls, publishes, renews and outlives a restart with Node ${node}`);
  }
  await checkTypes(root, join(work, `agent-${AGENT_NODES[0]}`));
  say("TypeScript accepts the agent's types");
  await upgradeEmbedded(root, { ...installation, env: { ...installation.env, MUSTER_DATA_DIR: join(folder, "old") } });
  say("the data folder that 1.0 left starts with it");
}

async function installFile(folder: string, file: string, env: Record<string, string>): Promise<string> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), "{}");
  const said = await run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=warn", file], { cwd: folder, env });
  assert.doesNotMatch(said, /EBADENGINE/);
  return folder;
}

/** Installs the agent's package into the empty folder `folder`, for the Node in the folder `node`. */
export async function installAgent(folder: string, file: string, node: string): Promise<InstalledAgent> {
  const env = environmentWith(node);
  await installFile(folder, file, env);
  return { command: [join(folder, "node_modules/.bin/muster-agent")], cwd: folder, env };
}

/** Compiles a program against the installed agent, as its users do, without `skipLibCheck`. */
async function checkTypes(root: string, folder: string): Promise<void> {
  writeFileSync(join(folder, "consumer.mts"), CONSUMER);
  const options = [
    "--noEmit",
    "--strict",
    "--module",
    "nodenext",
    "--target",
    "es2022",
    "--types",
    "node",
    "--typeRoots",
    join(root, "agent/node_modules/@types"),
  ];
  await run(join(root, "node_modules/.bin/tsc"), [...options, "consumer.mts"], { cwd: folder });
}
