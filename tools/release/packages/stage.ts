import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "../run.ts";
import { agentManifest, readManifest, serviceManifest } from "./manifests.ts";
import { noticesOfApp } from "./notices.ts";

/** Writes what `@muster/agent` contains into the empty folder `stage`. */
export async function stageAgent(root: string, stage: string): Promise<void> {
  makeEmpty(stage);
  await compile(root, "agent", join(stage, "dist"));
  // The state folder's `agentVersion` comes from package.json, which is beside `dist` as it is beside `src`.
  writeLauncher(join(root, "agent/bin/muster-agent.mjs"), join(stage, "bin/muster-agent.mjs"), {
    "../src/cli.ts": "../dist/cli.js",
    "oldest = 24": `oldest = ${/\d+/.exec(readManifest(root, "agent").engines.node)![0]}`,
  });
  writeJson(join(stage, "package.json"), agentManifest(root));
  copy(root, stage, { "agent/README.md": "README.md", LICENSE: "LICENSE" });
}

/**
 * Writes what `muster` contains into the empty folder `stage`: the folders of the repository that a running service
 * reads, with JavaScript in place of TypeScript. The admin app must have been built.
 */
export async function stageService(root: string, stage: string): Promise<void> {
  makeEmpty(stage);
  await compile(root, "server", join(stage, "server/src"));
  for (const file of ["require-node.mjs", "health-check.mjs"])
    copy(root, stage, { [`server/bin/${file}`]: `server/bin/${file}` });
  writeLauncher(join(root, "server/bin/muster.mjs"), join(stage, "server/bin/muster.mjs"), {
    "../src/cli/main.ts": "../src/cli/main.js",
  });
  const { name, version, license } = readManifest(root, "server");
  writeJson(join(stage, "server/package.json"), { name, version, license, private: true, type: "module" });
  for (const page of globSync("server/src/**/*.{css,js,svg}", { cwd: root })) copy(root, stage, { [page]: page });
  for (const folder of ["admin/dist", "LICENSE", "README.md", "CHANGELOG.md"]) copy(root, stage, { [folder]: folder });
  writeJson(join(stage, "package.json"), serviceManifest(root));
  writeFileSync(join(stage, "admin/LICENSES.txt"), noticesOfApp(root));
  await stageAgent(root, join(stage, "node_modules/@muster/agent"));
}

/** Compiles the sources of a workspace with its `tsconfig.build.json`. */
async function compile(root: string, workspace: string, to: string): Promise<void> {
  const program = join(root, "node_modules/.bin/tsc");
  await run(program, ["-p", `${workspace}/tsconfig.build.json`, "--outDir", to], { cwd: root });
}

/** Copies a launcher with pieces of its text replaced. @throws Error if it does not have such a piece */
function writeLauncher(from: string, to: string, pieces: Record<string, string>): void {
  let text = readFileSync(from, "utf8");
  for (const [source, compiled] of Object.entries(pieces)) {
    if (!text.includes(source)) throw new Error(`${from} does not contain ${source}`);
    text = text.replace(source, compiled);
  }
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, text, { mode: 0o755 });
}

/** @throws Error if a file exists, such as a compiled module of the same name */
function copy(root: string, stage: string, files: Record<string, string>): void {
  for (const [from, to] of Object.entries(files))
    cpSync(join(root, from), join(stage, to), { recursive: true, force: false, errorOnExist: true });
}

function makeEmpty(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}

function writeJson(path: string, content: object): void {
  writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`);
}
