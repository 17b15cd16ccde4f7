import { inOrder, type Violation } from "../source/violation.ts";
import { type AvoidedWord, avoidedNames, avoidedPhrases } from "../words.ts";
import { wordsOf } from "./names.ts";
import { withoutCode } from "./prose.ts";
import { type Text, textsIn } from "./texts.ts";

const findInName = finder(avoidedNames, " ");
const findPhrases = finder(avoidedPhrases, "\\s+");

/** Compares names, comments, sentences and documents under `root` with the lists of `tools/words.ts`. */
export function checkWording(root: string): Violation[] {
  return inOrder(textsIn(root).flatMap((text) => [...inNames(text), ...inProse(text)]));
}

function inNames({ file, names }: Text): Violation[] {
  return names.flatMap(({ name, line }) =>
    findInName(wordsOf(name)).map(({ found, instead }) => {
      return { file, line, rule: "words", subject: found, message: `${name}: say ${instead}` };
    }),
  );
}

function inProse({ file, prose, lineOf }: Text): Violation[] {
  return prose.flatMap(({ text, offset, comment }) =>
    findPhrases(comment ? withoutCode(text) : text).map(({ found, instead, at }) => {
      const line = lineOf(offset + at);
      return { file, line, rule: "phrases", subject: found, message: `"${found}": say ${instead}` };
    }),
  );
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
