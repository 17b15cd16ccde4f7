import { cp, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { PLANTED } from "../harness/database/next-version.ts";

const root = resolve(import.meta.dirname, "../../..");
/** The folders that a service reads beside its own sources. */
const SHARED = ["node_modules", "admin"];

/** The steps of the next version stand behind those that this one ships. */
const MIGRATIONS = `import { type Migration, migrations as shipped } from "./shipped.ts";

export type { Migration } from "./shipped.ts";

export const migrations: readonly Migration[] = [...shipped, ...${JSON.stringify(PLANTED)}];
`;

/**
 * Copies the sources of the service to a folder of their own and plants the steps of {@link PLANTED}: a next version,
 * whose processes run beside those of this one.
 */
export async function plantNextVersion(): Promise<{ launcher: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "muster-next-"));
  const server = join(folder, "server");
  const own = join(root, "server");
  await mkdir(server);
  for (const name of SHARED) await symlink(join(root, name), join(folder, name));
  for (const name of ["src", "bin"]) await cp(join(own, name), join(server, name), { recursive: true });
  await symlink(join(own, "node_modules"), join(server, "node_modules"));
  const manifest = JSON.parse(await readFile(join(own, "package.json"), "utf8"));
  await writeFile(join(server, "package.json"), JSON.stringify({ ...manifest, version: "99.0.0" }));
  const migrations = join(server, "src/db/migrations");
  await rename(join(migrations, "index.ts"), join(migrations, "shipped.ts"));
  await writeFile(join(migrations, "index.ts"), MIGRATIONS);
  return {
    launcher: join(server, "bin/muster.mjs"),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
