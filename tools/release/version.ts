import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The files whose version `npm run release` sets. `npm run generate` then sets that of the OpenAPI documents. */
const MANIFESTS = ["package.json", "server/package.json", "agent/package.json", "admin/package.json"];
const CHART = "deploy/helm/muster/Chart.yaml";
const LOCK = "package-lock.json";

/** Semantic Versioning 2.0.0, without build metadata. */
const VERSION = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;

/** @throws Error unless it is a version by Semantic Versioning */
export function parseVersion(text: string | undefined): string {
  if (text !== undefined && VERSION.test(text)) return text;
  throw new Error("name the version: npm run release -- 1.0.0");
}

/** Sets the version of every package, of the lock file and of the chart. */
export function setVersion(root: string, version: string): void {
  const edit = (file: string, change: (text: string) => string) =>
    writeFileSync(join(root, file), change(readFileSync(join(root, file), "utf8")));
  for (const file of [...MANIFESTS, "tools/api-client/package.json"])
    edit(file, (text) =>
      text
        .replace(/^( {2}"version": )"[^"]*"/m, `$1"${version}"`)
        .replace(/("@muster\/agent": )"[^"]*"/, `$1"${version}"`),
    );
  edit(LOCK, (text) => `${JSON.stringify(lockedAt(JSON.parse(text), version), null, 2)}\n`);
  edit(CHART, (text) =>
    text.replace(/^version: .*$/m, `version: ${version}`).replace(/^appVersion: .*$/m, `appVersion: "${version}"`),
  );
}

interface Lock {
  version: string;
  packages: Record<string, { version?: string; link?: boolean; dependencies?: Record<string, string> }>;
}

function lockedAt(lock: Lock, version: string): Lock {
  lock.version = version;
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path.includes("node_modules")) continue;
    if (entry.version !== undefined) entry.version = version;
    if (entry.dependencies?.["@muster/agent"]) entry.dependencies["@muster/agent"] = version;
  }
  return lock;
}
