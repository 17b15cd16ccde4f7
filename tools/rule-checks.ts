import { checkBoundaries } from "./boundaries/boundaries.ts";
import { table } from "./boundaries/table.ts";
import { checkCatalogue } from "./catalogue/catalogue.ts";
import { checkLicences } from "./licences.ts";
import { checkOwners } from "./ownership/ownership.ts";
import { checkSizes } from "./sizes/sizes.ts";
import type { Violation } from "./source/violation.ts";
import { checkUseCases } from "./use-cases/use-cases.ts";
import { checkCitations } from "./wording/citations.ts";
import { checkClauses } from "./wording/clauses.ts";
import { checkCommitSubjects } from "./wording/commit-subjects.ts";
import { checkStyle } from "./wording/style.ts";
import { checkWording } from "./wording/wording.ts";

export interface RuleCheck {
  /** The name as `npm run check` prints it; `--only=` selects by a part of it. */
  name: string;
  /** Returns every violation in the repository under `root`. */
  check: (root: string) => Violation[];
}

/** The project's own rules, which no external tool knows. */
export const ruleChecks: readonly RuleCheck[] = [
  { name: "folder boundaries", check: (root) => checkBoundaries(root, table) },
  { name: "table owners", check: checkOwners },
  { name: "use cases", check: checkUseCases },
  { name: "words", check: checkWording },
  { name: "style of comments and pages", check: checkStyle },
  { name: "subjects of commits", check: checkCommitSubjects },
  { name: "catalogue of texts", check: checkCatalogue },
  { name: "citations", check: checkCitations },
  { name: "clauses of the specification", check: checkClauses },
  { name: "licences of dependencies", check: checkLicences },
  { name: "sizes", check: (root) => checkSizes(root) },
];
