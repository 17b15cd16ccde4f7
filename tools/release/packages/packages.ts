import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../run.ts";
import { stageAgent, stageService } from "./stage.ts";

/** The largest size of the installed service without its dependencies, in bytes. */
const MOST_SERVICE_BYTES = 15 * 1000 * 1000;

/** A package that `npm publish` or `npm install` accepts as a file. */
export interface Packed {
  /** The name of the file. */
  filename: string;
  /** The bytes of its files, the bundled agent included. */
  unpackedSize: number;
  files: { path: string; size: number }[];
}

/**
 * Builds `muster-agent-<version>.tgz` and `muster-<version>.tgz` into `out`.
 * @throws Error if the service exceeds its limit
 */
export async function buildPackages(root: string, out: string): Promise<{ agent: Packed; service: Packed }> {
  mkdirSync(out, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), "muster-packages-"));
  try {
    await run(process.execPath, ["admin/tools/build.ts"], { cwd: root });
    await stageAgent(root, join(work, "agent"));
    await stageService(root, join(work, "muster"));
    const agent = await pack(join(work, "agent"), out);
    const service = await pack(join(work, "muster"), out);
    if (service.unpackedSize > MOST_SERVICE_BYTES)
      throw new Error(`${service.filename} unpacks to ${service.unpackedSize} bytes, at most ${MOST_SERVICE_BYTES}`);
    return { agent, service };
  } finally {
    rmSync(work, { recursive: true });
  }
}

async function pack(folder: string, out: string): Promise<Packed> {
  const answer = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", out], { cwd: folder });
  const [packed] = JSON.parse(answer) as Packed[];
  return packed!;
}
