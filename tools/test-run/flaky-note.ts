import { appendFileSync, existsSync } from "node:fs";
import { inspect } from "node:util";
import type { TestResult } from "./results.ts";

/** A test that failed, and passed when its file ran again alone. */
export interface Flaky {
  file: string;
  test: TestResult;
}

const HEAD = `# Flaky tests

Each failed in a run of CI and passed when its file ran again, alone, in a fresh process. Fix them before the next change.
`;

/**
 * Appends to the note, which the runs on both databases share.
 * @param database on which the tests ran
 */
export function recordFlaky(path: string, flaky: readonly Flaky[], database: string): void {
  if (flaky.length === 0) return;
  const entries = flaky.map(
    ({ file, test }) => `\n## ${file}: ${test.name}\n\nOn ${database}.\n\n~~~~text\n${textOf(test.error)}\n~~~~\n`,
  );
  appendFileSync(path, `${existsSync(path) ? "" : HEAD}${entries.join("")}`);
}

/** An error of node's test runner, as the test threw it. */
export function textOf(error: unknown): string {
  const thrown = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return typeof thrown === "string" ? thrown : inspect(thrown, { colors: false, depth: 6 });
}
