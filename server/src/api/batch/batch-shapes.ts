import { z } from "zod";
import { records } from "../../lib/limits/records.ts";

const texts = z.record(z.string(), z.string());

export const batchCreate = z
  .strictObject({
    operations: z
      .array(
        z
          .strictObject({
            operationId: z.string().meta({ description: "A write of this API, such as `createGroup`" }),
            params: texts.optional().meta({ description: "The parameters of its path" }),
            body: z.unknown().optional().meta({ description: "Its body" }),
          })
          .meta({ id: "BatchOperation" }),
      )
      .min(1)
      .max(records.operationsOfBatch.value),
  })
  .meta({ id: "BatchCreate" });

const deprecation = z
  .strictObject({
    since: z.iso.datetime().meta({ description: "The time from which it is deprecated" }),
    sunset: z.iso.datetime().meta({ description: "The time at which it ends" }),
    successor: z.string().meta({ description: "The `operationId` of the operation to use instead" }),
  })
  .meta({ id: "OperationDeprecation" });

export const batchResults = z
  .strictObject({
    results: z
      .array(
        z
          .strictObject({
            ok: z.boolean(),
            answer: z.unknown().optional().meta({ description: "If `ok`, the body of its answer" }),
            problem: z
              .record(z.string(), z.unknown())
              .optional()
              .meta({ description: "If not `ok`, the body of its error" }),
            deprecation: deprecation.optional().meta({ description: "If it is deprecated, its announced end" }),
          })
          .meta({ id: "BatchResult" }),
      )
      .meta({ description: "In the order of `operations`" }),
  })
  .meta({ id: "BatchResults" });
