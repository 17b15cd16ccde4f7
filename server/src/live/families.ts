import { type Caller, requireScope, type Scope } from "../access/access.ts";
import { invalidRequest } from "../lib/request-errors.ts";

/** What a caller must be allowed to read to be told of it. */
const FAMILIES: ReadonlyMap<string, Scope> = new Map([
  ["anomaly", "anomalies:read"],
  ["ticket", "tickets:read"],
  ["device", "devices:read"],
  ["telemetry", "devices:read"],
  ["certificate", "device-certificates:read"],
  ["finding", "device-certificates:read"],
]);

/**
 * Refuses a caller who may not read all of `kinds`; left out, they are all there are.
 *
 * @throws MusterError insufficient_scope; invalid_request for a kind of no family
 */
export function requireKinds(caller: Caller, kinds: readonly string[] | undefined): void {
  const families = kinds?.map((kind) => kind.split(".")[0]!) ?? FAMILIES.keys();
  for (const family of families) {
    const scope = FAMILIES.get(family);
    if (scope === undefined) throw invalidRequest("There are no such events.", family);
    requireScope(caller, scope);
  }
}
