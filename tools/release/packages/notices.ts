import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Lock, lockedPackages } from "../sbom/locked.ts";

/**
 * Returns the licences of the packages whose code the build of the admin app joins, with their texts: licences such as
 * MIT ask for their notice in every copy, and the build drops comments. npm installs all other packages whole.
 */
export function noticesOfApp(root: string): string {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lock;
  const notices = lockedPackages(lock, ["admin"]).map(({ path, name, version, license }) => {
    const [file] = globSync("{LICENSE,LICENCE,License,license}*", { cwd: join(root, path) }).sort();
    const text =
      file === undefined ? "The package has no file with the text." : readFileSync(join(root, path, file), "utf8");
    return `${name} ${version}, ${license}\n\n${text.trim()}\n`;
  });
  return `The admin app contains these packages.\n\n${notices.join(`\n${"-".repeat(80)}\n\n`)}`;
}
