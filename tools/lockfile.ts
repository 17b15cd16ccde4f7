interface Entry {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/**
 * Returns the packages that `lock` (a parsed package-lock.json) requires and does not contain. `npm ci` refuses such a
 * lock file, yet `npm install` writes one if its registry lacks the build for another platform. In that case, install a
 * version that the registry has for every platform.
 */
export function missingFromLock(lock: { packages: Record<string, Entry> }): string[] {
  const contained = new Set(
    Object.keys(lock.packages).map((path) => path.slice(path.lastIndexOf("node_modules/") + 13)),
  );
  const required = Object.values(lock.packages).flatMap((entry) => [
    ...Object.keys(entry.dependencies ?? {}),
    ...Object.keys(entry.optionalDependencies ?? {}),
  ]);
  return [...new Set(required)].filter((name) => !contained.has(name)).sort();
}
