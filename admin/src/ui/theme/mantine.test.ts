import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const SOURCES = join(import.meta.dirname, "../..");
const MANTINE = join(dirname(fileURLToPath(import.meta.resolve("@mantine/core/styles.css"))), "esm");
const STYLES = join(MANTINE, "../styles");

const read = (file: string): string => readFileSync(file, "utf8");

test("mantine.css has the style sheet of every component that the app renders, and of no other", () => {
  const imported = [...read(join(import.meta.dirname, "mantine.css")).matchAll(/styles\/([A-Z]\w+)\.css/g)];
  assert.deepEqual(imported.map(([, name]) => name).sort(), styledComponents(importedNames()).sort());
});

/** Returns the names that modules of the app import from Mantine. */
function importedNames(): Set<string> {
  const imports = globSync("**/*.{ts,tsx}", { cwd: SOURCES }).flatMap((file) => [
    ...read(join(SOURCES, file)).matchAll(/\{([^}]*)\} from "@mantine\/core"/g),
  ]);
  return new Set(imports.flatMap(([, names]) => names!.split(",").map((name) => name.trim())));
}

/** Returns the components with a style sheet among the modules that define `names` and those that they import. */
function styledComponents(names: ReadonlySet<string>): string[] {
  const modules = new Set<string>();
  const visit = (file: string): void => {
    if (modules.has(file)) return;
    modules.add(file);
    for (const [, path] of read(file).matchAll(/from "(\.[^"]+)"/g)) visit(join(dirname(file), path!));
  };
  for (const [, exported, path] of read(join(MANTINE, "index.mjs")).matchAll(/import \{([^}]*)\} from "([^"]+)"/g))
    if (exported!.split(",").some((name) => names.has(name.trim()))) visit(join(MANTINE, path!));
  const styled = [...modules].filter((file) => file.endsWith(".module.mjs"));
  return styled.map((file) => basename(file, ".module.mjs")).filter((name) => existsSync(join(STYLES, `${name}.css`)));
}
