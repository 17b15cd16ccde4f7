import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram } from "../../go-programs.ts";
import { run } from "../run.ts";

/** The chart in the repository. */
export const CHART = "deploy/helm/muster";

/** Returns the file name of the chart in a release; Helm's own would be that of the npm package. */
export function chartArchiveName(version: string): string {
  return `muster-chart-${version}.tgz`;
}

/**
 * Packages the chart into `out`, as `helm push` and `helm install` take it.
 * @returns the file name
 */
export async function packageChart(root: string, out: string, version: string): Promise<string> {
  const work = mkdtempSync(join(tmpdir(), "muster-chart-"));
  const name = chartArchiveName(version);
  try {
    await run(findProgram("helm")!, ["package", join(root, CHART), "--destination", work], { cwd: root });
    renameSync(join(work, `muster-${version}.tgz`), join(out, name));
  } finally {
    rmSync(work, { recursive: true });
  }
  return name;
}
