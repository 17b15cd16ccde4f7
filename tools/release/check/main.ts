/**
 * `npm run release:check`: uses every artifact of `dist/release/` as its users do. `--only=<part of a name>` selects
 * checks, `--from=<folder>` other artifacts. A check whose programs are missing fails, so that none is skipped
 * silently.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { findProgram } from "../../go-programs.ts";
import { readManifest } from "../packages/manifests.ts";
import { checkChart } from "./chart/check.ts";
import type { ArtifactCheck, CheckContext } from "./context.ts";
import { checkDebianPackage } from "./debian.ts";
import { checkImage } from "./image/check.ts";
import { checkPackages } from "./packages.ts";

const root = resolve(import.meta.dirname, "../../..");
const { values } = parseArgs({ options: { only: { type: "string" }, from: { type: "string" } } });
const out = resolve(values.from ?? join(root, "dist/release"));

const checks: readonly ArtifactCheck[] = [
  { name: "npm packages", programs: ["npm", "npx"], run: checkPackages },
  {
    name: "Debian package",
    programs: ["debootstrap", "dpkg", "systemd-analyze", "unshare"],
    asRoot: true,
    run: checkDebianPackage,
  },
  {
    name: "image",
    programs: ["buildah", "unshare", "setpriv", "psql", "syft"],
    asRoot: true,
    run: checkImage,
  },
  { name: "chart", programs: ["go", "helm", "kubeconform"], run: checkChart },
];

let failed = 0;
for (const check of checks.filter(({ name }) => name.includes(values.only ?? ""))) {
  console.log(`\n${check.name}`);
  const started = performance.now();
  try {
    await runCheck(check);
    console.log(`✔ ${check.name} (${((performance.now() - started) / 1000).toFixed(0)} s)`);
  } catch (error) {
    failed++;
    console.error(`✖ ${check.name}: ${error instanceof Error ? error.stack : error}`);
  }
}
process.exitCode = failed > 0 ? 1 : 0;

async function runCheck({ programs, asRoot, run }: ArtifactCheck): Promise<void> {
  const missing = programs.filter((program) => findProgram(program) === undefined);
  if (missing.length > 0) throw new Error(`needs ${missing.join(", ")}`);
  if (asRoot && process.getuid!() !== 0) throw new Error("needs root");
  const work = mkdtempSync(join(tmpdir(), "muster-release-check-"));
  try {
    await run(contextIn(work));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function contextIn(work: string): CheckContext {
  const { version } = readManifest(root, ".");
  const named = (start: string) => {
    const file = readdirSync(out).find((name) => name === `${start}-${version}.tgz`);
    if (file === undefined) throw new Error(`${out} has no ${start}-${version}.tgz: npm run release builds it`);
    return join(out, file);
  };
  return {
    ...{ root, out, work, version, say: (text: string) => console.log(`  ${text}`) },
    get artifacts() {
      return { agent: named("muster-agent"), service: named("muster") };
    },
  };
}
