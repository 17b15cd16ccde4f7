import { findings } from "#texts/explanations/findings.ts";
import type { Schemas } from "../api/client.ts";
import type { Explanation } from "../texts/explanations.ts";

/** Returns cause and cure of a finding in the language of the page; the service's own for a kind of a later version. */
export function explainedFinding(finding: Pick<Schemas["Finding"], "kind" | keyof Explanation>): Explanation {
  return findings[finding.kind] ?? finding;
}
