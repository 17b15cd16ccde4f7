/** Installs the Debian package into a minimal Debian, uses it, upgrades it and purges it. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { debianPackageName } from "../debian/package.ts";
import { unpackDebian } from "../debian/root.ts";
import { run } from "../run.ts";
import { confined } from "./confined.ts";
import type { CheckContext } from "./context.ts";
import { environmentWith, installNode } from "./nodes.ts";
import { installAgent } from "./packages.ts";
import { type Installation, ON_FREE_PORTS } from "./service.ts";
import { tellStory } from "./story.ts";

const UNIT = "usr/lib/systemd/system/muster.service";
/** The highest exposure of the unit, times ten, as `systemd-analyze security --threshold` takes it. */
const MOST_EXPOSURE = 25;
const OWN_FILES = ["etc/muster", "usr/lib/muster", "usr/bin/muster", "usr/share/doc/muster", "var/lib/muster", UNIT];

export async function checkDebianPackage({ artifacts, out, version, work, say }: CheckContext): Promise<void> {
  const debian = join(work, "debian");
  await unpackDebian(debian);
  const inside = (...words: string[]) =>
    run("chroot", [debian, ...words], { cwd: work, env: environmentWith("/sbin") });
  copyFileSync(join(out, debianPackageName(version)), join(debian, "muster.deb"));
  await inside("dpkg", "--install", "/muster.deb");
  assert.equal((await inside("muster", "--version")).trim(), version);
  assert.equal(statSync(join(debian, "var/lib/muster")).mode & 0o777, 0o700);
  assert.equal(statSync(join(debian, "etc/muster/muster.env")).mode & 0o777, 0o640);
  say("dpkg -i in a minimal Debian, with user, folders and modes");
  await run("systemd-analyze", ["security", "--offline=true", `--threshold=${MOST_EXPOSURE}`, join(debian, UNIT)], {
    cwd: work,
  });
  say(`the unit's exposure is at most ${MOST_EXPOSURE / 10}`);
  const agent = await installAgent(join(work, "agent"), artifacts.agent, await installNode("24.21.0", work));
  await tellStory(installationIn(debian), agent, "debian");
  say("the user muster serves; a device enrolls, publishes, renews and outlives a restart");
  await inside("dpkg", "--install", "/muster.deb");
  assert.ok(existsSync(join(debian, "var/lib/muster/postgres")));
  await inside("dpkg", "--purge", "muster");
  assert.deepEqual(
    OWN_FILES.filter((each) => existsSync(join(debian, each))),
    [],
  );
  for (const database of ["passwd", "group"])
    assert.notEqual(spawnSync("chroot", [debian, "getent", database, "muster"]).status, 0);
  say("a second installation keeps the data, a purge leaves nothing");
}

/** The installed service as its user runs it. It can write only to its own folder, as the unit says. */
function installationIn(debian: string): Installation {
  const data = join(debian, "var/lib/muster");
  const command = confined({
    rootFolder: debian,
    user: "muster:muster",
    readOnly: true,
    writable: { "/var/lib/muster": data },
  });
  return {
    command: [...command, "muster"],
    cwd: debian,
    env: { ...environmentWith("/usr/bin"), ...ON_FREE_PORTS },
    pathOnHost: (path) => join(debian, path),
  };
}
