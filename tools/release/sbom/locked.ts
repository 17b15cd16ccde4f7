import { type LockedPackage, shippedPackages } from "../../licences.ts";

/** A parsed package-lock.json. */
export interface Lock {
  packages: Record<string, LockedPackage>;
}

/**
 * Returns `name@version` of every package that Node finds for `workspaces` and their dependencies, as npm installs
 * them by the lock file. Peer dependencies count; optional ones do if the lock file has them.
 */
export function lockedDependencies(lock: Lock, workspaces: readonly string[]): Set<string> {
  const versions = new Map(shippedPackages(lock).map(({ path, name, version }) => [path, `${name}@${version}`]));
  const seen = new Set<string>();
  const queue = [...workspaces];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const { dependencies, optionalDependencies, peerDependencies } = lock.packages[path]!;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const found = resolve(versions, path, name);
      if (found !== undefined && !seen.has(found)) queue.push(found);
      if (found !== undefined) seen.add(found);
    }
  }
  return new Set([...seen].map((path) => versions.get(path)!));
}

/** Returns the path of the package `name` as Node finds it from the package at `from`. */
function resolve(versions: ReadonlyMap<string, string>, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    const path = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (versions.has(path)) return path;
    if (folder === "") return undefined;
  }
}
