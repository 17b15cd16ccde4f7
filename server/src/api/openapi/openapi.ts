import { setImmediate } from "node:timers/promises";
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

/**
 * Returns the description of the public API or of the device-facing endpoints. Other events are served between two
 * routes: a stranger may be the first to ask.
 */
export async function documentInTurns(surface: "public" | "device", baseUrl?: string): Promise<Json> {
  const steps = document(surface, ofSurface(surface), baseUrl);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await setImmediate();
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
