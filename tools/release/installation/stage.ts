import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { stageService } from "../packages/stage.ts";
import { run } from "../run.ts";

/** The workspaces whose dependencies a running service needs; the lock file needs the manifests of all. */
const WORKSPACES = ["server", "agent"];

/**
 * The files of dependencies that no program reads: types, maps, pages, tests and the PostgreSQL extensions that PGlite
 * brings. Licences stay.
 */
const UNUSED = [
  "**/*.{ts,cts,mts,map}",
  "**/{README,CHANGELOG,HISTORY,CONTRIBUTING}*.md",
  ...["", "**/node_modules/"].map((at) => `${at}{*,@*/*}/{test,tests,docs,examples,benchmark,benchmarks}`),
  "zod/src",
  "@electric-sql/pglite/dist/**/*.tar.gz",
];

/**
 * Writes an installed service into the empty folder `stage`: compiled sources, the admin app, and exactly the
 * dependencies of the lock file, without install scripts. Image and Debian package contain it. The admin app must have
 * been built.
 */
export async function stageInstallation(root: string, stage: string): Promise<void> {
  await stageService(root, stage);
  const agent = join(stage, "node_modules/@muster/agent");
  const work = mkdtempSync(join(tmpdir(), "muster-installation-"));
  try {
    await installLocked(root, work);
    const modules = join(work, "node_modules");
    rmSync(join(modules, "@muster"), { recursive: true });
    for (const file of globSync(UNUSED, { cwd: modules }))
      rmSync(join(modules, file), { recursive: true, force: true });
    // The agent's package is the compiled one, which the service's package brings.
    cpSync(agent, join(modules, "@muster/agent"), { recursive: true });
    rmSync(join(stage, "node_modules"), { recursive: true });
    cpSync(modules, join(stage, "node_modules"), { recursive: true, verbatimSymlinks: true });
    for (const each of WORKSPACES) copyNested(join(work, each), each === "server" ? join(stage, each) : agent);
  } finally {
    rmSync(work, { recursive: true });
  }
}

async function installLocked(root: string, work: string): Promise<void> {
  const manifests = globSync(["*/package.json", "tools/api-client/package.json"], { cwd: root });
  for (const file of ["package.json", "package-lock.json", ".npmrc", ...manifests]) {
    mkdirSync(dirname(join(work, file)), { recursive: true });
    writeFileSync(join(work, file), readFileSync(join(root, file)));
  }
  const only = WORKSPACES.flatMap((each) => ["--workspace", each]);
  const without = ["--omit=dev", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund"];
  await run("npm", ["ci", ...without, ...only], { cwd: work });
}

/** Copies dependencies that npm installs inside of a workspace, because another version is at the top. */
function copyNested(workspace: string, to: string): void {
  if (globSync("node_modules/*", { cwd: workspace }).length === 0) return;
  cpSync(join(workspace, "node_modules"), join(to, "node_modules"), { recursive: true, verbatimSymlinks: true });
}
