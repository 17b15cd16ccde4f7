import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

interface Document {
  paths: Record<string, Record<string, { operationId: string }>>;
}

const DESCRIPTION = join(import.meta.dirname, "../../openapi/admin.json");
/** The stream is read by `fetch`: the client of the API is for JSON. */
const STREAM = { operationId: "followEvents", path: "/api/admin/events" };

/** The sources of the app by their path. */
const sources = new Map(
  readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.ts$|generated/.test(path))
    .map((path) => [path, readFileSync(join(import.meta.dirname, path), "utf8")]),
);

test("every operation of the admin API is called by the app", () => {
  const { paths } = JSON.parse(readFileSync(DESCRIPTION, "utf8")) as Document;
  const called = new Set([...sources.values()].flatMap(callsIn));
  const missing = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => !called.has(`${method.toUpperCase()} ${path}`))
      .map(([, { operationId }]) => operationId),
  );
  assert.deepEqual(missing, [STREAM.operationId]);
  assert.ok(
    [...sources.values()].some((text) => text.includes(`"${STREAM.path}`) || text.includes(`\`${STREAM.path}`)),
  );
});

test("what the app can call is used by a screen or a part of one", () => {
  for (const [path, text] of sources) {
    if (!/^api[/\\]/.test(path) || callsIn(text).length === 0) continue;
    const others = [...sources].filter(([other]) => other !== path).map(([, other]) => other);
    for (const [, name] of text.matchAll(/^export (?:async )?(?:const|function) (\w+)/gm)) {
      const word = new RegExp(`\\b${name}\\b`);
      assert.ok(
        others.some((other) => word.test(other)),
        `${path} exports ${name}, which nothing uses`,
      );
    }
  }
});

/**
 * Returns `GET /api/admin/devices/{id}` for each call of the client in a file. Paths are texts or made of the file's
 * constants.
 */
function callsIn(text: string): string[] {
  const constants = new Map<string, string>();
  for (const [, name, value] of text.matchAll(/^(?:export )?const (\w+) = "([^"]+)";$/gm)) constants.set(name!, value!);
  const calls = text.matchAll(
    /\b(?:api\.([A-Z]+)|get|read(?:List|Versioned|Parts)?)\(\s*(?:"([^"]+)"|`([^`]+)`|(\w+))/g,
  );
  return [...calls].flatMap(([, method = "GET", literal, template, name]) => {
    const path =
      literal ??
      template?.replaceAll(/\$\{(\w+)\}/g, (_, part: string) => constants.get(part) ?? part) ??
      constants.get(name!);
    return path?.startsWith("/api/") ? [`${method} ${path}`] : [];
  });
}
