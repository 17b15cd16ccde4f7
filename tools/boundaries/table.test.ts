import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { SERVER } from "../source/files.ts";
import { table } from "./table.ts";

test("no place in the table imports upwards: a row names only places that have a row", () => {
  for (const [place, allowed] of Object.entries(table.imports)) {
    for (const other of allowed) {
      if (other === "*") continue;
      assert.ok(table.imports[other], `${place} → ${other}: no such row`);
      if (other !== "main")
        assert.ok(!table.imports[other].includes(place), `${place} and ${other} may import each other`);
    }
  }
});

const root = dirname(dirname(import.meta.dirname));
const isThere = (path: string) => existsSync(join(root, SERVER, path));

test("the table names only folders, files and packages that are there", () => {
  const places = Object.keys(table.imports).filter((place) => !isThere(place) && !isThere(`${place}.ts`));
  const paths = [...table.sqlPlaces, ...Object.values(table.packages), ...Object.values(table.constructs)].flat();
  const named = [
    ...paths.filter((path) => !path.startsWith("*")),
    ...table.facades,
    ...table.dbValuesForUseCases,
    ...Object.entries(table.leaves).flat(2),
  ];
  const manifests = ["package.json", "server/package.json"].map((path) =>
    JSON.parse(readFileSync(join(root, path), "utf8")),
  );
  const installed = new Set(
    manifests.flatMap(({ dependencies, devDependencies }) => Object.keys({ ...dependencies, ...devDependencies })),
  );
  const packages = Object.keys(table.packages).filter((name) => !installed.has(name));
  assert.deepEqual([...places, ...named.filter((path) => !isThere(path)), ...packages], []);
});
