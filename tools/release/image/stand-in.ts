import { cpSync, existsSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findProgram } from "../../go-programs.ts";
import { unpackDebian } from "../debian/root.ts";
import { run } from "../run.ts";
import type { Buildah } from "./buildah.ts";

/** The name of the base that stands in for the official one. */
export const STAND_IN = "localhost/muster-stand-in:latest";
/** The label of an image that is built on the stand-in. */
export const STAND_IN_LABEL = "org.opencontainers.image.base.name";
/** The certificates of this machine, among which may be that of a proxy before npm's registry. */
const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";

/**
 * Makes what the official image of Node has and the build uses: Debian, this machine's Node and npm, and the user
 * `node`. It needs root and debootstrap.
 */
export async function addStandIn(buildah: Buildah, work: string): Promise<void> {
  const folder = join(work, "stand-in");
  await unpackDebian(folder);
  const local = join(folder, "usr/local");
  cpSync(process.env.MUSTER_NODE ?? process.execPath, join(local, "bin/node"));
  const npm = dirname(dirname(realpathSync(findProgram("npm")!)));
  cpSync(npm, join(local, "lib/node_modules/npm"), { recursive: true, verbatimSymlinks: true });
  await run("ln", ["-s", "../lib/node_modules/npm/bin/npm-cli.js", join(local, "bin/npm")], { cwd: work });
  if (existsSync(CERTIFICATES)) {
    cpSync(CERTIFICATES, join(local, "etc/authorities.pem"), { dereference: true });
    writeFileSync(join(local, "etc/npmrc"), "cafile=/usr/local/etc/authorities.pem\n");
  }
  await run("chroot", [folder, "useradd", "--uid", "1000", "--create-home", "--shell", "/bin/bash", "node"], {
    cwd: work,
  });
  const container = await buildah.run(["from", "scratch"]);
  await buildah.run(["add", "--quiet", container, folder, "/"]);
  await buildah.run([
    "config",
    "--env",
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    container,
  ]);
  await buildah.run(["commit", "--rm", container, STAND_IN]);
}
