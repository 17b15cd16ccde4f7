/**
 * Writes what the app derives from `openapi/` into `admin/src/api/generated/` (not checked in): the types of the
 * client, the bounds of the fields, which forms check before they send, and the limits that screens name. It runs
 * before the types are checked, and in `npm run build`.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { boundsOf } from "./bounds.ts";

const root = join(import.meta.dirname, "../..");
const DESCRIPTION = join(root, "openapi/admin.json");
const FOLDER = join(root, "admin/src/api/generated");
/** The generator needs the TypeScript of its own workspace. */
const GENERATOR = join(root, "tools/api-client/node_modules/openapi-typescript/bin/cli.js");

/** Writes `bounds.json`, `version.json`, `limits.json` and `dangerous-scopes.json`, which the build needs. */
export function generateBounds(): void {
  mkdirSync(FOLDER, { recursive: true });
  const description = JSON.parse(readFileSync(DESCRIPTION, "utf8"));
  const bounds = boundsOf(description);
  writeIfChanged(join(FOLDER, "version.json"), `${JSON.stringify(description.info.version)}\n`);
  writeIfChanged(join(FOLDER, "bounds.json"), `${JSON.stringify(bounds, null, 2)}\n`);
  for (const name of ["limits.json", "dangerous-scopes.json"])
    writeIfChanged(join(FOLDER, name), readFileSync(join(root, "openapi", name), "utf8"));
}

/** Writes `admin.ts`, which only the type checker reads. */
export function generateTypes(): void {
  mkdirSync(FOLDER, { recursive: true });
  const path = join(FOLDER, "admin.ts");
  const copy = join(FOLDER, "admin.json");
  const description = readFileSync(DESCRIPTION, "utf8");
  if (existsSync(path) && existsSync(copy) && readFileSync(copy, "utf8") === description) return;
  const { status, stderr } = spawnSync(process.execPath, [GENERATOR, DESCRIPTION, "-o", path], { encoding: "utf8" });
  if (status !== 0) throw new Error(`openapi-typescript failed: ${stderr}`);
  writeFileSync(copy, description);
}

/** Keeps the modification time of an unchanged file, which incremental tools compare. */
function writeIfChanged(path: string, text: string): void {
  if (!existsSync(path) || readFileSync(path, "utf8") !== text) writeFileSync(path, text);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  generateBounds();
  generateTypes();
}
