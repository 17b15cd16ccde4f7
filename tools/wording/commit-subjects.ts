import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Violation } from "../source/violation.ts";

const MOST_CHARACTERS = 72;
const SUBJECT = /^[a-z][\w./-]*(?:, [a-z][\w./-]*)*: ([a-z]+)/;
/** Words that are no imperative: articles, pronouns, and verbs in another form. */
const NOT_IMPERATIVE = /^(?:an?|the|no|not|more|some|all|this|these|it|its|of|has|is|are)$|(?:ed|ing)$/;
/** Imperatives that end like another form. */
const IMPERATIVES = /^(?:need|embed|feed|speed|shed|seed|proceed|exceed|succeed|bring|ring|string)$/;

/** The last commit before the rule: neither its subject nor those of its ancestors are checked. */
const BEFORE_RULE = "af14cc6978a022cf9958eaaa0504d0830f8b4b46";

/**
 * Checks the subject of every commit of HEAD's history that is no merge, except `before` and its ancestors. A shallow
 * clone need not contain `before`. Where `root` has no git history of its own, there is nothing to check.
 *
 * @throws Error if git cannot read the history
 */
export function checkCommitSubjects(root: string, before = BEFORE_RULE): Violation[] {
  if (!existsSync(join(root, ".git"))) return [];
  return commits(root, before).flatMap(({ commit, subject }) => {
    const problem = subjectProblem(subject);
    return problem ? [{ file: commit, line: 1, rule: "subject", message: `${problem}: ${subject}` }] : [];
  });
}

/** Returns what is wrong with the subject of a commit, or undefined. */
export function subjectProblem(subject: string): string | undefined {
  if (subject.length > MOST_CHARACTERS) return `${subject.length} characters, of at most ${MOST_CHARACTERS}`;
  const verb = SUBJECT.exec(subject)?.[1];
  if (verb === undefined) return "not of the form `area: imperative verb …`";
  return NOT_IMPERATIVE.test(verb) && !IMPERATIVES.test(verb) ? `"${verb}" is not an imperative` : undefined;
}

function commits(root: string, before: string): { commit: string; subject: string }[] {
  // CI may run as another user than the owner of the checkout, whose history git refuses to read by default.
  const args = [
    "-c",
    "safe.directory=*",
    "log",
    "--no-merges",
    "--format=%h %s",
    "--ignore-missing",
    "HEAD",
    `^${before}`,
  ];
  const { status, stdout, stderr, error } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`git log: ${error?.message ?? stderr}`);
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => ({ commit: line.slice(0, line.indexOf(" ")), subject: line.slice(line.indexOf(" ") + 1) }));
}
