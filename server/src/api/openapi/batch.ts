import { batchCreate, batchResults } from "../batch/batch-shapes.ts";
import type { PublicRoute } from "../route.ts";
import { operation } from "./operation.ts";
import type { Json, Schemas } from "./schemas.ts";

export const BATCH_TAG = "Batches";

/** The description of the batch, which runs other routes and therefore is none itself. */
const DESCRIBED: Omit<PublicRoute, "useCase" | "handler"> = {
  surface: "public",
  scope: "devices:read",
  operationId: "createBatch",
  method: "POST",
  path: "/api/v1/batch",
  tag: BATCH_TAG,
  summary: "Run many writes",
  description:
    "Runs writes of this API one after the other, for one request of the key's budget. Each needs its own scope and has its own result; a refused one does not stop the others. A tenant runs one batch at a time, and another is `rate_limited`. There is no `Idempotency-Key`: records with an `externalId` are created once, and a repetition is `already_exists`.",
  body: batchCreate,
  status: 200,
  safe: true,
  response: batchResults,
  errors: [],
  examples: {
    body: { operations: [{ operationId: "createGroup", body: { name: "Pump hall" } }] },
    response: { results: [{ ok: true, answer: { id: "0199c1c4-0000-7a11-9c22-5e6f7a8b9c0d", name: "Pump hall" } }] },
  },
};

/** Returns the batch as an operation of the document: it needs a key, but no scope of its own. */
export function batchOperation(schemas: Schemas): Json {
  const { "x-required-scope": _, responses, ...others } = operation(DESCRIBED as PublicRoute, schemas, []);
  const { "403": __, ...answers } = responses as Json;
  return { ...others, description: DESCRIBED.description, security: [{ apiKey: [] }], responses: answers };
}
