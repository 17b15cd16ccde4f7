import type { Route } from "../route.ts";
import { everyRoute } from "../routes.ts";
import { document } from "./document.ts";
import type { Json } from "./schemas.ts";

export { errorCodes } from "./failures.ts";

/** Returns the OpenAPI 3.1 description of the public API (spec 4.9, 9), derived from the routes. */
export function publicDocument(baseUrl?: string): Json {
  return document("public", ofSurface("public"), baseUrl);
}

/** Returns that of the device-facing endpoints. */
export function deviceDocument(baseUrl?: string): Json {
  return document("device", ofSurface("device"), baseUrl);
}

/** Returns that of the admin API. */
export function adminDocument(): Json {
  return document("admin", ofSurface("admin"));
}

function ofSurface(surface: Route["surface"]): Route[] {
  return everyRoute.filter((route) => route.surface === surface);
}
