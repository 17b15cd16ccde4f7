import { routes } from "../routes.ts";
import { errorCodes } from "./openapi.ts";

/** One line per operation: method, path, operation id, scope, status, errors. Checked in, so that a change shows as a diff. */
export function operationsText(): string {
  const lines = routes.map((route) =>
    [
      route.method.padEnd(6),
      route.path,
      route.operationId,
      route.surface === "public" ? route.scope : "device",
      route.status,
      errorCodes(route).join(","),
    ].join(" "),
  );
  return `${lines.sort().join("\n")}\n`;
}
