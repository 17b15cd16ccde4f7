import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { Skip } from "../../load/measure.ts";

const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "muster/bench");

export interface Build {
  readonly program: string;
  readonly version: string;
  /** The program that builds it: `go` or `cargo`. */
  readonly builder: string;
  /** Returns the arguments of the builder, and the variables that it needs. @param folder gets `bin/<program>` */
  command(folder: string): { args: readonly string[]; env?: Record<string, string> };
  /** The folder of the sources; without it the builder downloads them. */
  readonly sources?: string;
}

/**
 * Returns the path of a program, which is built the first time and kept outside the repository. A build takes some
 * minutes.
 *
 * @throws {@link Skip} where the builder is missing or fails
 */
export function buildOnce({ program, version, builder, command, sources }: Build): string {
  const folder = join(CACHE, `${program}-${version}`);
  const built = join(folder, "bin", program);
  if (existsSync(built)) return built;
  const path = programOnPath(builder);
  if (path === undefined) throw new Skip(`${program}: ${builder}, which builds it, is not installed`);
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    const { args, env } = command(unfinished);
    execFileSync(path, args, { cwd: sources ?? unfinished, env: { ...process.env, ...env }, stdio: "pipe" });
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    const { stderr } = error as { stderr?: Buffer };
    throw new Skip(`${program} cannot be built: ${String(stderr ?? error).slice(-500)}`);
  }
  return built;
}

/** Returns the path of a program in a folder of `PATH`; undefined if there is none. */
export function programOnPath(program: string): string | undefined {
  const folders = (process.env.PATH ?? "").split(":");
  return folders.map((folder) => join(folder, program)).find(existsSync);
}
