import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "../../../go-programs.ts";
import { isAllowedLicence } from "../../../licences.ts";
import { run } from "../../run.ts";
import { type Component, licencesOf, nameOf } from "../../sbom/bom.ts";
import { type Lock, lockedPackages } from "../../sbom/locked.ts";

/** The packages of npm that a scan finds in the image; the build joins those of the admin app into its files. */
const WORKSPACES = ["server", "agent"];
const OURS = /^(?:muster|@muster\/.*)$/;

interface Found {
  /** The numbers of packages of npm and of Debian. */
  npm: number;
  debian: number;
  /** Packages of Debian whose licences the scan did not find. Slim images lack links to another package's file. */
  unlicensed: string[];
}

/**
 * Scans the image with syft, as the workflow does for its SBOM, and compares the packages with the lock file: a program
 * that knows nothing of our build confirms our SBOMs.
 * @throws Error if a dependency is missing or unexpected, or has a licence that is missing or not allowed
 */
export async function checkLicences(root: string, rootFolder: string): Promise<Found> {
  const args = ["scan", `dir:${rootFolder}`, "--override-default-catalogers", "image", "--quiet"];
  const env = { ...process.env, SYFT_CHECK_FOR_APP_UPDATE: "false" };
  const text = await run(findProgram("syft")!, [...args, "--output", "cyclonedx-json@1.6"], { cwd: root, env });
  const components = (JSON.parse(text).components as (Component & { purl?: string })[]) ?? [];
  const of = (type: string) => components.filter(({ purl }) => purl?.startsWith(`pkg:${type}/`));
  const [npm, debian] = [of("npm"), of("deb")];
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lock;
  const found = npm.filter((each) => !OURS.test(nameOf(each))).map((each) => `${nameOf(each)}@${each.version}`);
  const locked = lockedPackages(lock, WORKSPACES);
  const named = (packages: typeof locked) => packages.map(({ name, version }) => `${name}@${version}`);
  // The image omits optional packages.
  const needed = named(locked.filter(({ path }) => !lock.packages[path]!.optional));
  assert.deepEqual(
    [...new Set(needed)].filter((each) => !found.includes(each)),
    [],
    "missing",
  );
  assert.deepEqual(
    found.filter((each) => !named(locked).includes(each)),
    [],
    "unexpected",
  );
  assert.ok(of("generic").some(({ name }) => name === "node"));
  for (const each of npm)
    assert.ok(licencesOf(each).length > 0 && licencesOf(each).every(isAllowedLicence), JSON.stringify(each));
  const unlicensed = debian.filter((each) => licencesOf(each).length === 0).map(({ name }) => name);
  return { npm: npm.length, debian: debian.length, unlicensed };
}
