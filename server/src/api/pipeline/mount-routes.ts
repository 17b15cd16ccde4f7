import type { FastifyInstance } from "fastify";
import { refuseOtherMethods } from "../http/other-methods.ts";
import { everyRoute } from "../routes.ts";
import { mount, type PipelineTools } from "./pipeline.ts";

/** Mounts every route, and on each address an answer to the methods that it does not have. */
export function mountRoutes(app: FastifyInstance, tools: PipelineTools): void {
  for (const route of everyRoute) mount(app, route, tools);
  for (const [path, ofPath] of Map.groupBy(everyRoute, (route) => route.path)) {
    refuseOtherMethods(
      app,
      path,
      ofPath.map((route) => route.method),
    );
  }
}
