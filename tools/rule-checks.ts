import { checkBoundaries } from "./boundaries/boundaries.ts";
import { table } from "./boundaries/table.ts";
import { checkOwners, checkOwnersExist } from "./ownership/ownership.ts";
import type { Violation } from "./source/violation.ts";
import { checkUseCases } from "./use-cases/use-cases.ts";

export interface RuleCheck {
  /** As `npm run check` prints it; `--only=` selects by a part of it. */
  name: string;
  /** The rules that may have pending violations. */
  rules: readonly string[];
  /** Every violation in the repository under `root`. */
  check: (root: string) => Violation[];
}

/** The rules of the code that no tool from outside knows. */
export const ruleChecks: readonly RuleCheck[] = [
  { name: "folder boundaries", rules: [], check: (root) => checkBoundaries(root, table) },
  { name: "table owners", rules: ["owner"], check: (root) => [...checkOwners(root), ...checkOwnersExist(root)] },
  { name: "use cases", rules: ["use-case", "rights"], check: checkUseCases },
];
