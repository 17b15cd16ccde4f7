/** Renders the chart with Helm, and decodes its objects as strictly as Kubernetes can. */
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load, loadAll } from "js-yaml";
import { renderChart } from "../../../../server/test/deploy/helm-template.ts";
import { findProgram } from "../../../go-programs.ts";
import { CHART, chartArchiveName, packageChart } from "../../chart/package.ts";
import { run } from "../../run.ts";
import type { CheckContext } from "../context.ts";
import { SCHEMA_FILE, writeSchemas } from "./schemas.ts";

/** The oldest Kubernetes that the chart supports, and the newest at this release. */
const KUBERNETES = ["v1.27.16", "v1.37.2"] as const;
/** Makes Helm render for it: a Helm from its Go module takes any cluster for an older one. */
const FOR_OLDEST = ["--kube-version", KUBERNETES[0]];
const VALUES = "deploy/helm/values";

type KubernetesObject = { kind: string; metadata: { name: string } };

export async function checkChart({ root, out, version, work, say }: CheckContext): Promise<void> {
  if (!existsSync(join(out, chartArchiveName(version)))) await packageChart(root, work, version);
  const packed = join(existsSync(join(out, chartArchiveName(version))) ? out : work, chartArchiveName(version));
  const helm = (...args: string[]) => run(findProgram("helm")!, args, { cwd: root });
  const files = readdirSync(join(root, VALUES)).map((file) => join(root, VALUES, file));
  assert.equal(files.length, 6);
  for (const file of files) await helm("lint", "--strict", join(root, CHART), "--values", file);
  say(`helm lint --strict with ${files.length} files of values`);
  const rendered: Record<string, string> = {};
  for (const file of files) {
    rendered[file] = await helm("template", "muster", packed, ...FOR_OLDEST, "--values", file);
    const values = load(readFileSync(file, "utf8")) as Record<string, unknown>;
    assert.deepEqual(sorted(loadAll(rendered[file])), sorted(renderChart(join(root, CHART), values)), file);
  }
  say("Helm renders what our tests assert");
  for (const kubernetes of KUBERNETES) await decode(Object.values(rendered), kubernetes, join(work, kubernetes));
  say(`the objects are those of Kubernetes ${KUBERNETES.join(" and ")}, without an unknown field`);
  for (const wrong of ["nodes=many", "publicHost=https://x", "node=3", "settings.LIMIT=4", "stream.replicas=2"])
    await assert.rejects(
      helm("template", "muster", packed, ...FOR_OLDEST, "--set", wrong),
      /values don't meet the specifications/,
    );
  say("the schema refuses wrong values");
  const notes = await notesOf(root, join(work, "notes"), helm);
  assert.match(
    notes,
    /exec deployment\/muster -- muster setup-link[\s\S]*nats\.url is empty[\s\S]*No certificate is set/,
  );
  say("the notes of an installation");
}

/** Renders the notes as part of an object, because without a cluster Helm renders only objects. */
async function notesOf(root: string, folder: string, helm: (...args: string[]) => Promise<string>): Promise<string> {
  cpSync(join(root, CHART), folder, { recursive: true });
  const notes = join(folder, "templates/NOTES.txt");
  const head = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: notes }\ndata:\n  notes: |\n";
  const text = readFileSync(notes, "utf8").replace(/^(?=.)/gm, "    ");
  writeFileSync(join(folder, "templates/notes.yaml"), `${head}${text}`);
  return await helm("template", "muster", folder, ...FOR_OLDEST, "--show-only", "templates/notes.yaml");
}

function sorted(objects: unknown[]): KubernetesObject[] {
  const key = ({ kind, metadata }: KubernetesObject) => `${kind}/${metadata.name}`;
  return (objects.filter(Boolean) as KubernetesObject[]).sort((a, b) => key(a).localeCompare(key(b)));
}

/** @throws Error if an object has an unknown field, a field twice, or a value of a wrong type */
async function decode(rendered: readonly string[], kubernetes: string, folder: string): Promise<void> {
  mkdirSync(folder);
  await writeSchemas(kubernetes, folder);
  const kubeconform = async (text: string) => {
    const file = join(folder, "objects.yaml");
    writeFileSync(file, text);
    const args = ["-strict", "-summary", "-schema-location", join(folder, SCHEMA_FILE), file];
    return await run(findProgram("kubeconform")!, args, { cwd: folder });
  };
  for (const text of rendered) assert.match(await kubeconform(text), /Invalid: 0, Errors: 0, Skipped: 0/);
  // A check that accepts everything would prove nothing.
  for (const [right, wrong] of [
    ["replicas:", "replica:"],
    ["containerPort: 8443", "containerPort: https"],
  ] as const)
    await assert.rejects(kubeconform(rendered[0]!.replace(right, wrong)), /Invalid: 1/);
}
