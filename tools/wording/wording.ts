import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { documents, writtenCode } from "../source/files.ts";
import { lineFinder, parse } from "../source/syntax.ts";
import { inOrder, type Violation } from "../source/violation.ts";
import { type AvoidedWord, avoidedInTexts, avoidedNames, avoidedPhrases } from "../words.ts";
import { type DeclaredName, declaredNames, wordsOf } from "./names.ts";
import { type Prose, proseOf, withoutCode } from "./prose.ts";

/** Files in which an operator or a user reads every string. */
const FOR_OPERATORS = /^server\/src\/(cli|control|doctor|demo)\/|^agent\/src\/cli\/|^admin\/src\//;

const findInName = finder(avoidedNames, " ");
const findPhrases = finder(avoidedPhrases, "\\s+");
const findInTexts = finder(avoidedInTexts, "\\s+");

/** Compares names, comments, sentences and documents under `root` with the lists of `tools/words.ts`. */
export function checkWording(root: string): Violation[] {
  return inOrder([
    ...writtenCode(root).flatMap((file) => inCode(file, join(root, file))),
    ...documents(root).flatMap((file) => {
      const text = readFileSync(join(root, file), "utf8");
      return inProse(file, [{ text, offset: 0, comment: true, operators: false }], lineFinder(text));
    }),
  ]);
}

function inCode(file: string, path: string): Violation[] {
  const source = parse(path);
  const names = [{ name: basename(file).replace(/\.tsx?$/, ""), line: 1 }, ...declaredNames(source)];
  const texts = proseOf(source).map((each) => ({ ...each, operators: each.operators || isForOperators(file, each) }));
  return [...names.flatMap((each) => inName(file, each)), ...inProse(file, texts, source.lineOf)];
}

function isForOperators(file: string, { comment }: Prose): boolean {
  return !comment && FOR_OPERATORS.test(file);
}

function inName(file: string, { name, line }: DeclaredName): Violation[] {
  return findInName(wordsOf(name)).map(({ found, instead }) => {
    return { file, line, rule: "words", subject: found, message: `${name}: say ${instead}` };
  });
}

function inProse(file: string, prose: readonly Prose[], lineOf: (offset: number) => number): Violation[] {
  return prose.flatMap(({ text: whole, offset, comment, operators }) => {
    const text = comment ? withoutCode(whole) : whole;
    const violations = (rule: string, matches: readonly Match[]) =>
      matches.map(({ found, instead, at }) => {
        return { file, line: lineOf(offset + at), rule, subject: found, message: `"${found}": say ${instead}` };
      });
    return [...violations("phrases", findPhrases(text)), ...violations("words", operators ? findInTexts(text) : [])];
  });
}

interface Match {
  found: string;
  instead: string;
  at: number;
}

/**
 * Returns a function that finds the avoided words of a list in a text.
 * @param blank the pattern for a blank in an avoided phrase
 */
function finder(avoided: readonly AvoidedWord[], blank: string): (text: string) => Match[] {
  const whole = avoided.map(({ pattern }) => `\\b(?:${pattern.replaceAll(" ", blank)})\\b`);
  // One expression with a group for each word, so that a text is read once.
  const all = new RegExp(whole.map((each, index) => `(?<word${index}>${each})`).join("|"), "gi");
  return (text) =>
    [...text.matchAll(all)].map(({ 0: found, index: at, groups }) => {
      const word = avoided.findIndex((_, index) => groups![`word${index}`] !== undefined);
      return { found: found.toLowerCase().replace(/\s+/g, " "), instead: avoided[word]!.instead, at };
    });
}
