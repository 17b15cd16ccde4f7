import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The parts of a package.json that the published packages have. */
export interface Manifest {
  name: string;
  version: string;
  description?: string;
  license: string;
  type: "module";
  engines: { node: string };
  bin: Record<string, string>;
  dependencies: Record<string, string>;
  [field: string]: unknown;
}

/** Reads the package.json of the folder `workspace` of the repository. */
export function readManifest(root: string, workspace: string): Manifest {
  return JSON.parse(readFileSync(join(root, workspace, "package.json"), "utf8"));
}

/**
 * The fields that both packages share. `GITHUB_REPOSITORY` (owner/name) adds the address of the repository, which
 * npm compares with the provenance of a package.
 */
function shared(directory?: string): object {
  const repository = process.env.GITHUB_REPOSITORY;
  if (repository === undefined) return {};
  const address = `https://github.com/${repository}`;
  return {
    homepage: address,
    bugs: `${address}/issues`,
    repository: { type: "git", url: `git+${address}.git`, ...(directory ? { directory } : {}) },
  };
}

/** Returns the package.json of the published agent, whose sources are compiled into `dist/`. */
export function agentManifest(root: string): Manifest {
  const source = readManifest(root, "agent");
  return {
    ...source,
    ...shared("agent"),
    keywords: ["iot", "mqtt", "mtls", "x509", "device"],
    exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
    types: "./dist/index.d.ts",
    publishConfig: { access: "public" },
  };
}

/**
 * Returns the package.json of the published service. It bundles the agent, which the demo uses, so that the package
 * installs from its file alone; npm installs the dependencies of both.
 */
export function serviceManifest(root: string): Manifest {
  const { name, version, description, license } = readManifest(root, ".");
  const server = readManifest(root, "server");
  const agent = readManifest(root, "agent");
  return {
    name,
    version,
    description: description!,
    license,
    ...shared(),
    keywords: ["iot", "mqtt", "mtls", "x509", "broker", "monitoring"],
    type: "module",
    engines: server.engines,
    bin: { muster: "server/bin/muster.mjs" },
    dependencies: { ...agent.dependencies, ...server.dependencies },
    bundleDependencies: [agent.name],
    publishConfig: { access: "public" },
  };
}
