import { setTimeout } from "node:timers/promises";
import type { Route } from "../route.ts";
import { everyRoute } from "../routes.ts";
import { document } from "./document.ts";
import type { Json } from "./schemas.ts";

export { errorCodes } from "./failures.ts";

/** Returns the OpenAPI 3.1 description of the public API (spec 4.9, 9), derived from the routes. */
export function publicDocument(baseUrl?: string): Json {
  return atOnce(document("public", ofSurface("public"), baseUrl));
}

/** Returns the description of the device-facing endpoints. */
export function deviceDocument(baseUrl?: string): Json {
  return atOnce(document("device", ofSurface("device"), baseUrl));
}

/** Returns the description of the admin API. */
export function adminDocument(): Json {
  return atOnce(document("admin", ofSurface("admin")));
}

/** The pause after a step of {@link documentInTurns}, as a multiple of the time that the step took. */
const PAUSE = 2;

/**
 * Returns the description of the public API or of the device-facing endpoints. It takes a third of the event loop's
 * time, because a stranger may be the first to ask, and of all worker processes at once.
 */
export async function documentInTurns(surface: "public" | "device", baseUrl?: string): Promise<Json> {
  const steps = document(surface, ofSurface(surface), baseUrl);
  for (;;) {
    const started = performance.now();
    const { done, value } = steps.next();
    if (done) return value;
    await setTimeout(PAUSE * (performance.now() - started));
  }
}

function atOnce(steps: Generator<void, Json>): Json {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

function ofSurface(surface: Route["surface"]): Route[] {
  return everyRoute.filter((route) => route.surface === surface);
}
