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
          })
          .meta({ id: "BatchResult" }),
      )
      .meta({ description: "In the order of `operations`" }),
  })
  .meta({ id: "BatchResults" });
