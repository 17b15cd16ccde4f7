import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Writes `SHA256SUMS`, which `sha256sum --check` reads, over every other file of `out`. */
export function writeChecksums(out: string): void {
  const lines = readdirSync(out)
    .filter((name) => name !== "SHA256SUMS")
    .sort()
    .map(
      (name) =>
        `${createHash("sha256")
          .update(readFileSync(join(out, name)))
          .digest("hex")}  ${name}\n`,
    );
  writeFileSync(join(out, "SHA256SUMS"), lines.join(""));
}
