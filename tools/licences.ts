import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Violation } from "./source/violation.ts";

/**
 * The licences that a shipped dependency may have, as SPDX identifiers: each permits redistribution under Apache-2.0,
 * and asks for a notice at most.
 */
export const ALLOWED_LICENCES: ReadonlySet<string> = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT",
  "MIT-0",
  "Python-2.0",
  "Unlicense",
]);

/** An entry of `packages` in a package-lock.json. */
export interface LockedPackage {
  version?: string;
  license?: string;
  dev?: boolean;
  link?: boolean;
  optional?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** A package that an installation without development dependencies contains. */
export interface ShippedPackage {
  /** The path in the lock file, `node_modules/<name>`. */
  path: string;
  name: string;
  version: string;
  license: string | undefined;
}

/** Returns the packages of a parsed package-lock.json that some workspace needs to run, those of the admin app too. */
export function shippedPackages(lock: { packages: Record<string, LockedPackage> }): ShippedPackage[] {
  return Object.entries(lock.packages)
    .filter(([path, { dev, link }]) => path.includes("node_modules/") && !dev && !link)
    .map(([path, { version, license }]) => {
      return { path, name: path.slice(path.lastIndexOf("node_modules/") + 13), version: version!, license };
    });
}

/** Returns whether a licence, or an SPDX expression without nested parentheses, allows what we ship. */
export function isAllowedLicence(expression: string | undefined): boolean {
  const choices = expression?.replace(/^\((.*)\)$/, "$1").split(" OR ") ?? [];
  return choices.some((choice) => choice.split(" AND ").every((each) => ALLOWED_LICENCES.has(each)));
}

/** Checks that each shipped package has an allowed licence. A `root` without a lock file has no dependencies. */
export function checkLicences(root: string): Violation[] {
  const file = "package-lock.json";
  if (!existsSync(join(root, file))) return [];
  const text = readFileSync(join(root, file), "utf8");
  return shippedPackages(JSON.parse(text))
    .filter(({ license }) => !isAllowedLicence(license))
    .map(({ path, name, version, license }) => {
      const line = text.slice(0, text.indexOf(`"${path}"`)).split("\n").length;
      const message = `${name} ${version} has the licence ${license ?? "unknown"}, which tools/licences.ts does not allow`;
      return { file, line, rule: "licence", message, subject: name };
    });
}
