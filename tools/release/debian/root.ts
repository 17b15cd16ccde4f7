import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { run } from "../run.ts";

const SUITE = "bookworm";
const MIRROR = "http://deb.debian.org/debian";
/** The folders that Debian's own slim images leave out, in addition to all of `usr/share/doc` but the licences. */
const SLIM = ["usr/share/man", "usr/share/info", "usr/share/locale", "var/cache/apt", "var/lib/apt/lists"];

/** Unpacks a minimal Debian into the new folder `to`. The first call on a machine downloads it. */
export async function unpackDebian(to: string): Promise<void> {
  const archive = await debianArchive();
  mkdirSync(to);
  await run("tar", ["--extract", "--file", archive, "--directory", to, "--numeric-owner"], { cwd: to });
}

async function debianArchive(): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "muster");
  const archive = join(cache, `debian-${SUITE}-slim.tar`);
  if (existsSync(archive)) return archive;
  const folder = join(cache, `debian-${SUITE}.new`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    await run("debootstrap", ["--variant=minbase", SUITE, folder, MIRROR], { cwd: cache });
    for (const each of SLIM) rmSync(join(folder, each), { recursive: true, force: true });
    await run("find", ["usr/share/doc", "-type", "f", "!", "-name", "copyright", "-delete"], { cwd: folder });
    mkdirSync(join(folder, "var/cache/apt/archives/partial"), { recursive: true });
    await run("tar", ["--create", "--file", `${archive}.new`, "--directory", folder, "."], { cwd: cache });
    renameSync(`${archive}.new`, archive);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return archive;
}
