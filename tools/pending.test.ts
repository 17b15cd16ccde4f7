import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { prune, withoutPending } from "./pending.ts";

const root = mkdtempSync(join(tmpdir(), "muster-pending-"));
after(() => rmSync(root, { recursive: true }));
mkdirSync(join(root, "tools/pending"), { recursive: true });
writeFileSync(join(root, "tools/pending/root.txt"), "words a.ts old\nwords a.ts gone\nsize a.ts f\n");
const violation = (subject: string) => ({ file: "a.ts", line: 3, rule: "words", message: "", subject });

test("a pending violation is accepted, a new one and a line that is no longer true are not", () => {
  const left = withoutPending(root, ["words"], [violation("old"), violation("new")]);
  assert.deepEqual(
    left.map(({ file, subject, message }) => subject ?? `${file} ${message.split(" is no")[0]}`),
    ["new", `tools/pending/root.txt "words a.ts gone"`],
  );
});

test("pruning keeps what is still true, moves what was moved, and accepts nothing new", () => {
  const entry = (file: string, subject: string) => ({ rule: "words", file, subject });
  const pending = [entry("a.ts", "stays"), entry("a.ts", "moves"), entry("a.ts", "goes")];
  const found = [entry("a.ts", "stays"), entry("b.ts", "moves"), entry("c.ts", "moves"), entry("b.ts", "new")];
  assert.deepEqual(prune(pending, found), [entry("a.ts", "stays"), entry("b.ts", "moves")]);
});
