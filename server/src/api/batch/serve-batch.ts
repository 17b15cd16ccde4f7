import type { FastifyInstance } from "fastify";
import type { Caller } from "../../access/access.ts";
import { refuseOtherMethods } from "../http/other-methods.ts";
import { admitKey } from "../pipeline/guards.ts";
import { BODY_LIMIT, type PipelineTools, writes } from "../pipeline/pipeline.ts";
import { type Outcome, type RunTools, routeOf, runOperation } from "../pipeline/run-operation.ts";
import { Refusal } from "../problem.ts";
import { batchCreate } from "./batch-shapes.ts";

export const BATCH_PATH = "/api/v1/batch";

/**
 * Serves `POST /api/v1/batch`: writes that run one after the other, each with its own scope, audit and outcome. A batch
 * counts as one request of its key, so a tenant has one at a time in a process.
 */
export function serveBatch(app: FastifyInstance, tools: PipelineTools & RunTools): void {
  const running = new Set<string>();
  app.post(BATCH_PATH, {
    bodyLimit: BODY_LIMIT.public,
    config: { secret: true },
    onRequest: async (request, reply) => {
      const key = request.headers["x-api-key"];
      request.who = await admitKey(request, reply, typeof key === "string" ? key : undefined, tools);
    },
    handler: async (request) => {
      const given = batchCreate.safeParse(request.body);
      if (!given.success) throw invalid(given.error.issues[0]!);
      const { tenantId } = request.who as Caller;
      if (running.has(tenantId)) {
        const extra = { retryAfterSeconds: 1 };
        throw new Refusal("rate_limited", "a tenant runs one batch at a time: wait for the present one", { extra });
      }
      running.add(tenantId);
      try {
        const results: Outcome[] = [];
        for (const { operationId, params = {}, body } of given.data.operations) {
          // Nobody would read the outcome; a program that asks again finds what is missing.
          if (request.raw.socket.destroyed) break;
          const route = routeOf(operationId);
          const writing = route && writes(route) ? route : undefined;
          results.push(await runOperation(request, tools, writing, { params, query: {}, body }));
        }
        return { results };
      } finally {
        running.delete(tenantId);
      }
    },
  });
  refuseOtherMethods(app, BATCH_PATH, ["POST"]);
}

function invalid({ path, message }: { path: PropertyKey[]; message: string }): Refusal {
  const at = path.map(String).join(".");
  const extra = { middleware: "validation" as const, detail: at || "body" };
  return new Refusal("invalid_request", `${at || "the body"}: ${message}`, extra);
}
