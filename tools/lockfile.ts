interface Entry {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/**
 * The packages that `lock` (a parsed package-lock.json) asks for and does not hold. `npm ci` refuses such a lock, yet
 * `npm install` writes one without a word when the registry it was run against lacks a build for some other platform:
 * then take a version of which the registry has every platform.
 */
export function missingFromLock(lock: { packages: Record<string, Entry> }): string[] {
  const held = new Set(Object.keys(lock.packages).map((path) => path.slice(path.lastIndexOf("node_modules/") + 13)));
  const asked = Object.values(lock.packages).flatMap((entry) => [
    ...Object.keys(entry.dependencies ?? {}),
    ...Object.keys(entry.optionalDependencies ?? {}),
  ]);
  return [...new Set(asked)].filter((name) => !held.has(name)).sort();
}
