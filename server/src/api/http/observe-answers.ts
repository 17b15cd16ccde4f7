import type { FastifyInstance } from "fastify";
import type { Logger } from "../../lib/logger.ts";
import type { Metrics } from "../../lib/metrics/metrics.ts";

interface ObserveTools {
  metrics: Metrics;
  logger: Logger;
}

/** Counts every answer, and logs it at debug: by its route, since an address may contain secrets. */
export function observeAnswers(app: FastifyInstance, { metrics, logger }: ObserveTools): void {
  app.addHook("onResponse", (request, reply, done) => {
    const route = request.is404 ? "none" : (request.routeOptions.url ?? "none");
    const { method } = request;
    const { statusCode: status, elapsedTime: ms } = reply;
    metrics.http.observe({ method, route, status }, ms / 1000);
    if (logger.isLevelEnabled("debug")) logger.debug({ requestId: request.id, method, route, status, ms }, "request");
    done();
  });
}
