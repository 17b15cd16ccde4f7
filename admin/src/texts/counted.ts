import { LANGUAGE } from "#texts/language.ts";
import { numberText } from "./number-text.ts";

/** A noun with its plural. As a function it returns `1 device` or `1,200 devices`. */
export interface Counted {
  (count: number): string;
  one: string;
  many: string;
}

const RULES = new Intl.PluralRules(LANGUAGE);

/** Returns a noun that can be counted. */
export function counted(one: string, many: string): Counted {
  const text = (count: number) => `${numberText(count)} ${RULES.select(count) === "one" ? one : many}`;
  return Object.assign(text, { one, many });
}
