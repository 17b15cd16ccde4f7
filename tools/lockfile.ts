interface Entry {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/**
 * The packages that `lock` (a parsed package-lock.json) requires and does not contain. `npm ci` refuses such a lock file, yet
 * `npm install` writes one when its registry lacks the build for another platform: install a version of which the
 * registry has every platform.
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
