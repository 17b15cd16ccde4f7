import { mkdirSync, writeFileSync } from "node:fs";
import { arch, platform } from "node:os";
import { join } from "node:path";
import { run } from "../run.ts";

/** The Nodes with which the agent is tried: the newest of each line that it supports. */
export const AGENT_NODES = ["20.20.2", "22.23.3", "24.21.0"] as const;
/** The oldest Node that runs the service: the first with Argon2. */
export const OLDEST_SERVICE_NODE = "24.7.0";

/**
 * Installs Node `version` from the npm package that also brings the clone's Node.
 * @returns the folder of its `node`
 */
export async function installNode(version: string, work: string): Promise<string> {
  const folder = join(work, `node-${version}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), "{}");
  const name = `node-${platform()}-${arch()}`;
  await run("npm", ["install", "--no-audit", "--no-fund", `${name}@${version}`], { cwd: folder });
  return join(folder, "node_modules", name, "bin");
}

/** Returns this process's environment with `folder` first on the path, and without settings of Muster. */
export function environmentWith(folder: string): Record<string, string> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^MUSTER_|^npm_(lifecycle|package)/.test(name));
  return { ...(Object.fromEntries(inherited) as Record<string, string>), PATH: `${folder}:${process.env.PATH}` };
}
