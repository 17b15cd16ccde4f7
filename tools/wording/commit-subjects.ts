import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Violation } from "../source/violation.ts";

const MOST_CHARACTERS = 72;
const SUBJECT = /^[a-z][\w./-]*(?:, [a-z][\w./-]*)*: ([a-z]+)/;
/** Words that are no imperative: articles, pronouns, and verbs in another form. */
const NOT_IMPERATIVE = /^(?:an?|the|no|not|more|some|all|this|these|it|its|of|has|is|are)$|(?:ed|ing)$/;
/** Imperatives that end like another form. */
const IMPERATIVES = /^(?:need|embed|feed|speed|shed|seed|proceed|exceed|succeed|bring|ring|string)$/;

/** In git's own folder of a working tree: the last commit up to which every subject has passed. */
const PASSED = "muster-passed-subjects";

/**
 * Checks the subjects of the commits since the last that passed, or at first those since the first parent of HEAD.
 * Where `root` has no git history of its own, there is nothing to check.
 */
export function checkCommitSubjects(root: string): Violation[] {
  const folder = historyOf(root);
  const head = folder && git(root, "rev-parse", "--verify", "--quiet", "HEAD");
  if (!head) return [];
  const file = join(folder, PASSED);
  const passed = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  const isKnown = passed !== "" && git(root, "merge-base", passed, head) === passed;
  const since = isKnown ? passed : git(root, "rev-parse", "--verify", "--quiet", "HEAD^");
  const range = since ? `${since}..${head}` : head;
  const lines = (git(root, "log", "--no-merges", "--format=%h %s", range) ?? "").split("\n").filter(Boolean);
  const violations = lines.flatMap((line) => {
    const [commit, subject] = [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)];
    const problem = subjectProblem(subject);
    return problem ? [{ file: commit, line: 1, rule: "subject", message: `${problem}: ${subject}` }] : [];
  });
  if (violations.length === 0) writeFileSync(file, `${head}\n`);
  return violations;
}

/** Returns what is wrong with the subject of a commit, or undefined. */
export function subjectProblem(subject: string): string | undefined {
  if (subject.length > MOST_CHARACTERS) return `${subject.length} characters, of at most ${MOST_CHARACTERS}`;
  const verb = SUBJECT.exec(subject)?.[1];
  if (verb === undefined) return "not of the form `area: imperative verb …`";
  return NOT_IMPERATIVE.test(verb) && !IMPERATIVES.test(verb) ? `"${verb}" is not an imperative` : undefined;
}

/** Returns git's folder of the working tree at `root`; undefined if `root` is not the top of one. */
function historyOf(root: string): string | undefined {
  const top = git(root, "rev-parse", "--show-toplevel");
  return top === realpathSync(root) ? git(root, "rev-parse", "--absolute-git-dir") : undefined;
}

/** Runs git, and returns what it prints; undefined if it fails or is missing. */
function git(root: string, ...args: string[]): string | undefined {
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}
