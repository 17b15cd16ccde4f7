import { chmodSync, copyFileSync, cpSync, mkdtempSync, rmSync } from "node:fs";
import { arch, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findProgram } from "../../go-programs.ts";
import { stageInstallation } from "../installation/stage.ts";
import { run } from "../run.ts";

/** Debian's names of the architectures for which Node is published. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

/** Returns the file name of the Debian package for this machine. */
export function debianPackageName(version: string): string {
  return `muster_${debianVersion(version)}_${ARCHITECTURES[arch()]}.deb`;
}

/** Returns a version that sorts as Semantic Versioning does: `1.0.0~rc.1` comes before `1.0.0`. */
function debianVersion(version: string): string {
  return version.replace("-", "~");
}

/**
 * Builds the Debian package into `out`. It contains the running Node, or the one that `MUSTER_NODE` names.
 * @returns the file name
 */
export async function buildDebianPackage(root: string, out: string, version: string): Promise<string> {
  const work = mkdtempSync(join(tmpdir(), "muster-debian-"));
  const name = debianPackageName(version);
  try {
    const stage = join(work, "muster");
    await stageInstallation(root, stage);
    addNode(process.env.MUSTER_NODE ?? process.execPath, stage);
    cpSync(join(root, "docs/configuration.md"), join(stage, "docs/configuration.md"));
    cpSync(join(root, "deploy/debian"), join(work, "debian"), { recursive: true });
    const env = { ...process.env, MUSTER_VERSION: version, MUSTER_ARCHITECTURE: ARCHITECTURES[arch()] };
    const args = ["package", "--config", "debian/nfpm.yaml", "--packager", "deb", "--target", join(out, name)];
    await run(findProgram("nfpm")!, args, { cwd: work, env });
  } finally {
    rmSync(work, { recursive: true });
  }
  return name;
}

/** Copies a Node and its licence, which its distributions have beside `bin`. */
function addNode(program: string, stage: string): void {
  copyFileSync(program, join(stage, "node"));
  chmodSync(join(stage, "node"), 0o755);
  copyFileSync(join(dirname(program), "../LICENSE"), join(stage, "LICENSE.node"));
}
