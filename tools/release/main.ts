/**
 * `npm run release -- <version>`: sets the version everywhere, dates the changelog, builds every artifact into
 * `dist/release/`, and prints what a person then does. `--artifacts-only` builds the artifacts of the present version
 * and changes no file. `--without=<name>,…` leaves artifacts out, whose programs are missing on this machine.
 * `--stand-in-base` builds the image, to try it, where no registry can be reached.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { artifacts, missingPrograms } from "./artifacts.ts";
import { datedChangelog } from "./changelog.ts";
import { writeChecksums } from "./checksums.ts";
import { readManifest } from "./packages/manifests.ts";
import { run } from "./run.ts";
import { parseVersion, setVersion } from "./version.ts";

const root = resolve(import.meta.dirname, "../..");
const out = join(root, "dist/release");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    "artifacts-only": { type: "boolean" },
    without: { type: "string", default: "" },
    "stand-in-base": { type: "boolean", default: false },
  },
});

try {
  await release();
} catch (error) {
  console.error(`release: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}

async function release(): Promise<void> {
  const left = values.without.split(",").filter(Boolean);
  const unknown = left.filter((name) => !artifacts.some((each) => each.name === name));
  if (unknown.length > 0) throw new Error(`no artifact is called ${unknown.join(", ")}`);
  const wanted = artifacts.filter(({ name }) => !left.includes(name));
  const missing = missingPrograms(wanted);
  if (missing.length > 0) throw new Error(`${missing.join("; ")} (docs/releasing.md says where from)`);
  if (!values["artifacts-only"]) await prepare(parseVersion(positionals[0]));
  const { version } = readManifest(root, ".");
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  for (const { name, build } of wanted) {
    const started = performance.now();
    for (const line of await build({ root, out, version, standIn: values["stand-in-base"] }))
      console.log(`✔ ${name}: ${line} (${((performance.now() - started) / 1000).toFixed(0)} s)`);
  }
  for (const name of left) console.log(`✖ ${name}: left out by --without`);
  writeChecksums(out);
  if (!values["artifacts-only"]) console.log(nextSteps(version));
}

/** Changes the files of the repository to `version`. @throws Error if the tree has other changes */
async function prepare(version: string): Promise<void> {
  const changes = await run("git", ["status", "--porcelain"], { cwd: root });
  if (changes !== "") throw new Error(`commit or remove these changes first:\n${changes}`);
  const changelog = join(root, "CHANGELOG.md");
  const text = datedChangelog(readFileSync(changelog, "utf8"), version, new Date().toISOString().slice(0, 10));
  writeFileSync(changelog, text);
  setVersion(root, version);
  await run("npm", ["run", "generate"], { cwd: root });
  // The next versions are compared with the contract of this one.
  await run(process.execPath, ["tools/compatibility/released.ts", "--keep"], { cwd: root });
}

function nextSteps(version: string): string {
  return [
    `\nMuster ${version} is in dist/release/. Now:`,
    "  1. npm run release:check            # uses every artifact",
    "  2. .ci/run                          # must be green",
    `  3. git commit -am 'release: set the version ${version}'`,
    `  4. git tag -s v${version} -m 'Muster ${version}'`,
    `  5. git push origin main v${version}`,
    `  6. npm publish dist/release/muster-agent-${version}.tgz`,
  ].join("\n");
}
