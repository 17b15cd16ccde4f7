import { DANGEROUS_OPERATIONS, HARMLESS_OPERATIONS, type StepUpRule } from "../access/access.ts";

/** Returns the step-up rule of an operation. @throws Error for one that writes and is in none of the lists */
export function stepUpOf({ operationId, method }: { operationId: string; method: string }): { stepUp?: StepUpRule } {
  const dangerous = DANGEROUS_OPERATIONS[operationId];
  if (dangerous) return { stepUp: dangerous.stepUp };
  if (method !== "GET" && !HARMLESS_OPERATIONS.has(operationId))
    throw new Error(`access/step-up.ts must say whether ${operationId} needs a step-up`);
  return {};
}
