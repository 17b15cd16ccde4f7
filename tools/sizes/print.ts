/**
 * `npm run -s sizes`: prints the median and the 90th percentile of the lines of files and of named functions, without
 * tests.
 */
import { dirname, join } from "node:path";
import { fileLines, functionsIn, isProduction, measuredFiles } from "./sizes.ts";

const root = dirname(dirname(import.meta.dirname));
const paths = measuredFiles(root)
  .filter(isProduction)
  .map((file) => join(root, file));

print("files", paths.map(fileLines));
print(
  "functions",
  paths.flatMap(functionsIn).flatMap(({ name, lines }) => (name === "(anonymous)" ? [] : [lines])),
);

function print(what: string, lines: number[]): void {
  const sorted = lines.sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)];
  console.log(
    `${what}: ${sorted.length}, median ${at(0.5)} lines, 90th percentile ${at(0.9)}, longest ${sorted.at(-1)}`,
  );
}
