import { isDeepStrictEqual } from "node:util";
import { invalidRequest } from "../lib/request-errors.ts";
import { checkRule, type NewRule, type Rule } from "./rule.ts";

/** A rule as a change of its pack has it: one that is there already by its id, or as new. */
export interface RuleChange extends NewRule {
  id?: string | undefined;
}

/**
 * The rules of a pack after `before`. A rule keeps its id exactly when it judges as before: where its id is given, or else where a rule
 * that judges alike is there and named by nobody. Any other is a new rule with an id of its own, so that an id always means the same
 * rule. Severity and message decide nothing and may change.
 *
 * @throws MusterError invalid_request with the place of what is wrong in `detail`, e.g. `rules.0.id`
 */
export function identify(before: readonly Rule[], wanted: readonly RuleChange[], newId: () => string): Rule[] {
  const named = wanted.map(({ id }, at) => (id === undefined ? undefined : ruleNamed(before, id, at)));
  const free = before.filter((rule) => !named.includes(rule));
  const twice = named.findIndex((rule, at) => rule !== undefined && named.indexOf(rule) < at);
  if (twice >= 0) throw invalidRequest("A rule is named twice.", `rules.${twice}.id`);
  return wanted.map(({ id: _, ...input }, at) => {
    const rule = checkRule(input, "", `rules.${at}`);
    const kept = named[at] ? [named[at]] : free;
    const same = kept.find((one) => judgesAlike(one, rule));
    if (same && !named[at]) free.splice(free.indexOf(same), 1);
    return { ...rule, id: same?.id ?? newId() };
  });
}

function ruleNamed(before: readonly Rule[], id: string, at: number): Rule {
  const found = before.find((rule) => rule.id === id);
  if (found === undefined) throw invalidRequest("The threshold pack has no such rule.", `rules.${at}.id`);
  return found;
}

function judgesAlike(one: Rule, other: Rule): boolean {
  return isDeepStrictEqual(judgement(one), judgement(other));
}

/** All that decides when a rule is broken and when it is well again. */
function judgement({ metric, operator, value, clearValue, forSeconds, clearForSeconds }: Rule): unknown[] {
  return [metric, operator, value, clearValue, forSeconds, clearForSeconds];
}
