import type { Route } from "../route.ts";
import { everyRoute } from "../routes.ts";
import { errorCodes } from "./openapi.ts";

/**
 * Returns one line per operation: method, path, operation id, who may call it, status, errors. The file is checked in,
 * so that a change shows as a diff.
 */
export function operationsText(): string {
  const lines = everyRoute.map((route) =>
    [
      route.method.padEnd(6),
      route.path,
      route.operationId,
      admission(route),
      route.status,
      errorCodes(route).join(","),
    ].join(" "),
  );
  return `${lines.sort().join("\n")}\n`;
}

/**
 * Returns a scope; `device`; for the admin API a role, `session` or `anyone`, with `+` if the operation needs a
 * step-up.
 */
function admission(route: Route): string {
  if (route.surface === "public") return route.scope;
  if (route.surface === "device") return "device";
  return `${route.by === "user" ? route.role : route.by}${route.stepUp ? "+" : ""}`;
}
