import { type Flaky, textOf } from "./flaky-note.ts";
import { failuresOf, type Results } from "./results.ts";

/** The outcome of a run in CI. */
export interface Outcome {
  results: Results;
  flaky: readonly Flaky[];
  /** Failures outside tests, one sentence each. */
  problems: readonly string[];
  durationMs: number;
}

/** The maximum number of flaky tests in a run. */
export const MOST_FLAKY = 3;

/**
 * Returns the exit code of a run and its closing lines. Like those of node's `spec` reporter, they count tests after
 * the repetition.
 */
export function closingOf({ results, flaky, problems, durationMs }: Outcome): { exitCode: number; lines: string[] } {
  const files = [...results.files];
  const tests = files.flatMap(([, { tests }]) => tests);
  const count = (state: string) => tests.filter((test) => test.state === state).length;
  const failing = files.flatMap(([file, result]) => failuresOf(result).map((test) => ({ file, test })));
  const tooFlaky = flaky.length > MOST_FLAKY;
  const [skipped, fail] = [count("skipped"), failing.length + (tooFlaky ? flaky.length : 0)];
  const complaints = [
    ...problems,
    ...(tooFlaky ? [`${flaky.length} flaky tests: at most ${MOST_FLAKY} in a run`] : []),
    ...(skipped > 0 ? [`${skipped} skipped: in CI every test must run`] : []),
  ];
  const counts = {
    tests: tests.length,
    suites: files.reduce((sum, [, { suites }]) => sum + suites, 0),
    pass: tests.length - skipped - count("todo") - fail,
    fail,
    cancelled: 0,
    skipped,
    todo: count("todo"),
    duration_ms: durationMs,
  };
  const lines = [
    ...(failing.length > 0 ? ["", "✖ failing tests:"] : []),
    ...failing.flatMap(({ file, test }) => ["", `✖ ${file}: ${test.name}`, indented(textOf(test.error))]),
    "",
    ...flaky.map(({ file, test }) => `flaky ${file}: ${test.name}`),
    ...complaints.map((complaint) => `✖ ${complaint}`),
    ...Object.entries(counts).map(([name, value]) => `ℹ ${name} ${value}`),
  ];
  return { exitCode: fail > 0 || complaints.length > 0 ? 1 : 0, lines };
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}
