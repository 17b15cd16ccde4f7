import { isDeepStrictEqual } from "node:util";
import { invalidRequest } from "../../lib/request-errors.ts";
import { checkRule, type NewRule, type Rule } from "../rule.ts";

/** A rule in a change of its pack: an existing one with its id, or a new one. */
export interface RuleChange extends NewRule {
  id?: string | undefined;
}

/**
 * Returns the rules of a pack after a change. A rule keeps its id exactly if it evaluates as before. It is matched by
 * its given id, or else to an equivalent rule whose id the change does not give. Any other rule gets a new id, so that
 * an id always means the same rule. Severity and message play no part in the evaluation and may change.
 *
 * @throws MusterError invalid_request with the invalid place in `detail`, e.g. `rules.0.id`
 */
export function identify(before: readonly Rule[], wanted: readonly RuleChange[], newId: () => string): Rule[] {
  const named = wanted.map(({ id }, at) => (id === undefined ? undefined : ruleNamed(before, id, at)));
  const free = before.filter((rule) => !named.includes(rule));
  const twice = named.findIndex((rule, at) => rule !== undefined && named.indexOf(rule) < at);
  if (twice >= 0) throw invalidRequest("Two rules have the same id.", `rules.${twice}.id`);
  return wanted.map(({ id: _, ...input }, at) => {
    const rule = checkRule(input, "", `rules.${at}`);
    const kept = named[at] ? [named[at]] : free;
    const same = kept.find((one) => isEquivalent(one, rule));
    if (same && !named[at]) free.splice(free.indexOf(same), 1);
    return { ...rule, id: same?.id ?? newId() };
  });
}

function ruleNamed(before: readonly Rule[], id: string, at: number): Rule {
  const found = before.find((rule) => rule.id === id);
  if (found === undefined) throw invalidRequest("The threshold pack has no such rule.", `rules.${at}.id`);
  return found;
}

function isEquivalent(one: Rule, other: Rule): boolean {
  return isDeepStrictEqual(condition(one), condition(other));
}

/** Returns everything that decides when a rule is breached and when it clears. */
function condition({ id: _, severity: __, message: ___, ...deciding }: Rule): object {
  return deciding;
}
