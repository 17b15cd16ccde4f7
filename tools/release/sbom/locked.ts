import { type LockedPackage, type ShippedPackage, shippedPackages } from "../../licences.ts";

/** A parsed package-lock.json. */
export interface Lock {
  packages: Record<string, LockedPackage>;
}

/** Returns `name@version` of every package of {@link lockedPackages}. */
export function lockedDependencies(lock: Lock, workspaces: readonly string[]): Set<string> {
  return new Set(lockedPackages(lock, workspaces).map(({ name, version }) => `${name}@${version}`));
}

/**
 * Returns every package that Node finds for `workspaces` and their dependencies, as npm installs them by the lock file,
 * in the order of the lock file. Peer dependencies count; optional ones do if the lock file has them.
 */
export function lockedPackages(lock: Lock, workspaces: readonly string[]): ShippedPackage[] {
  const shipped = shippedPackages(lock);
  const paths = new Set(shipped.map(({ path }) => path));
  const seen = new Set<string>();
  const queue = [...workspaces];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const { dependencies, optionalDependencies, peerDependencies } = lock.packages[path]!;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const found = resolve(paths, path, name);
      if (found !== undefined && !seen.has(found)) queue.push(found);
      if (found !== undefined) seen.add(found);
    }
  }
  return shipped.filter(({ path }) => seen.has(path));
}

/** Returns the path of the package `name` as Node finds it from the package at `from`. */
function resolve(paths: ReadonlySet<string>, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    const path = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (paths.has(path)) return path;
    if (folder === "") return undefined;
  }
}
