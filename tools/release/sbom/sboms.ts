import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { debianPackageName } from "../debian/package.ts";
import { run } from "../run.ts";
import { about, allComponents, type Bom, type Component, problemsOf, withComponent } from "./bom.ts";
import { type Lock, lockedDependencies } from "./locked.ts";

/** The packages that we write, which no lock file lists by a version of its own. */
const OURS: ReadonlySet<string> = new Set(["@muster/admin", "@muster/agent", "@muster/server", "node"]);
/** The service contains the admin app, and the agent for the demo. */
const SERVICE = ["server", "agent", "admin"];

/** The validator of documents: a part of `@cyclonedx/cyclonedx-library`. */
interface Library {
  Spec: { Version: Record<string, unknown> };
  Validation: { JsonStrictValidator: new (version: unknown) => { validate(text: string): Promise<unknown> } };
}

/**
 * Writes a CycloneDX 1.6 document for each artifact into `out`: `muster-agent-<version>.cdx.json`,
 * `muster-<version>.cdx.json`, and that of the Debian package, which contains Node besides.
 * @returns one line per file
 * @throws Error if a document does not fit the schema, lacks a runtime dependency, or names a licence that is not
 * allowed
 */
export async function buildSboms(root: string, out: string, version: string): Promise<string[]> {
  const work = mkdtempSync(join(tmpdir(), "muster-sbom-"));
  try {
    cpSync(join(import.meta.dirname, "generator"), work, { recursive: true });
    // Only XML, which nobody asks for, needs the optional parts.
    await run("npm", ["ci", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: work });
    const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lock;
    const service = await describe(root, work, SERVICE);
    const documents = [
      {
        file: `muster-agent-${version}`,
        workspaces: ["agent"],
        bom: about(await describe(root, work, ["agent"]), "@muster/agent"),
      },
      { file: `muster-${version}`, workspaces: SERVICE, bom: service },
      {
        file: debianPackageName(version).replace(/\.deb$/, ""),
        workspaces: SERVICE,
        bom: withComponent(service, node()),
      },
    ];
    const lines: string[] = [];
    for (const { file, workspaces, bom } of documents) {
      const text = `${JSON.stringify(bom, null, 2)}\n`;
      const problems = [
        ...problemsOf(bom, lockedDependencies(lock, workspaces), OURS),
        ...(await schemaProblems(work, text)),
      ];
      if (problems.length > 0) throw new Error(`${file}.cdx.json:\n${problems.join("\n")}`);
      writeFileSync(join(out, `${file}.cdx.json`), text);
      lines.push(`${file}.cdx.json, ${allComponents(bom.components).length} components`);
    }
    return lines;
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** Returns what the lock file says of `workspaces`, the same bytes at each run. */
async function describe(root: string, work: string, workspaces: readonly string[]): Promise<Bom> {
  const program = join(work, "node_modules/@cyclonedx/cyclonedx-npm/bin/cyclonedx-npm-cli.js");
  const only = workspaces.flatMap((each) => ["--workspace", each]);
  const form = ["--spec-version", "1.6", "--output-format", "JSON", "--output-reproducible"];
  const args = [program, ...only, "--omit", "dev", "--package-lock-only", ...form];
  return JSON.parse(await run(process.execPath, args, { cwd: root })) as Bom;
}

/** Returns the differences from the schema of CycloneDX 1.6, in which unknown fields are errors. */
async function schemaProblems(work: string, text: string): Promise<string[]> {
  const { Spec, Validation } = createRequire(join(work, "package.json"))("@cyclonedx/cyclonedx-library") as Library;
  const error = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text);
  return error === null ? [] : [`does not fit the schema: ${JSON.stringify(error).slice(0, 2_000)}`];
}

/** Describes the Node of the Debian package. The file LICENSE.node beside it has the licences of its parts. */
function node(): Component {
  const version = execFileSync(process.env.MUSTER_NODE ?? process.execPath, ["--version"], { encoding: "utf8" });
  const number = version.trim().slice(1);
  return {
    type: "platform",
    name: "node",
    version: number,
    "bom-ref": `node@${number}`,
    licenses: [{ license: { id: "MIT" } }],
    purl: `pkg:generic/node@${number}`,
  };
}
