import assert from "node:assert/strict";
import { test } from "node:test";
import { parseText } from "../source/syntax.ts";
import { declaredNames, namesInSql, wordsOf } from "./names.ts";

test("a name is split into words in every naming style", () => {
  assert.equal(wordsOf("checkAllKeys"), "check all keys");
  assert.equal(wordsOf("HTTPServer2Go"), "http server2 go");
  assert.equal(wordsOf("MAX_KEYS"), "max keys");
  assert.equal(wordsOf("list-store"), "list store");
});

test("names are found at their declarations, and not at their uses", () => {
  const source = parseText(
    "example.ts",
    `import { imported } from "./other.ts";
     const { a, b: [c, ...d], e = used } = imported;
     function f<T>(g: number, { h } = used, ...i: T[]) { for (const j of used.k) l(j); }
     class M { #n = 1; o(p = used) { return (q: string) => q; } }
     interface R { s: string; t(u: number): void }
     type V = { w: M };
     const y = "WITH third (id) AS MATERIALIZED (SELECT id AS fourth FROM t) SELECT * FROM third AS fifth";
     const x = { y: used, z() {}, aa: () => used };`,
  );
  assert.deepEqual(
    declaredNames(source)
      .map(({ name }) => name)
      .sort(),
    // biome-ignore format: one list
    ["M", "R", "T", "V", "a", "aa", "c", "d", "e", "f", "fifth", "fourth", "g", "h", "i", "j", "n", "o", "p", "q", "s", "t", "third", "u", "w", "x", "y", "z"],
  );
});

test("SQL that defines a part of the schema declares each of its names, other SQL its aliases", () => {
  const names = (sql: string) => namesInSql(sql, (at) => at).map(({ name }) => name);
  assert.deepEqual(names('CREATE TABLE a (b text NOT NULL, "c d" text); -- e').sort(), ["a", "b", "c d", "text"]);
  assert.deepEqual(names("SELECT a AS b FROM c WHERE d = 'e'"), ["b"]);
});
