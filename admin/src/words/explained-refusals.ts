import { refusals } from "#texts/explanations/refusals.ts";
import type { Refusal } from "../api/broker/refusals.ts";
import type { Explanation } from "../texts/explanations.ts";

type Explained = Pick<Refusal, "reason" | "revocationReason" | keyof Explanation>;

/** Returns cause and cure of a refusal in the language of the page; a later version's reasons in the service's own. */
export function explainedRefusal(refusal: Explained): Explanation {
  const { reason, revocationReason } = refusal;
  return refusals[`${reason}.${revocationReason}`] ?? refusals[reason] ?? refusal;
}
