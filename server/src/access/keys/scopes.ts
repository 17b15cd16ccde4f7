import { invalidRequest } from "../../lib/request-errors.ts";

/** The scopes of the specification (spec 5, scope list). */
export const SPECIFIED_SCOPES = [
  "devices:read",
  "devices:write",
  "groups:read",
  "groups:write",
  "shifts:read",
  "shifts:write",
  "thresholds:read",
  "thresholds:write",
  "anomalies:read",
  "anomalies:write",
  "tickets:read",
  "tickets:write",
  "provisioning:read",
  "provisioning:write",
  "device-certificates:read",
  "device-certificates:issue",
  "device-certificates:revoke",
] as const;

/** The scopes of operations beyond the specification, which no scope of an existing key may allow. */
const ADDED_SCOPES = [
  "telemetry:read",
  "device-registry:create",
  "device-registry:delete",
  "refusals:read",
  "events:read",
  "webhooks:read",
  "webhooks:write",
  "commands:read",
  "commands:write",
  "device-types:read",
  "device-types:write",
  "group-members:write",
  "group-channels:write",
  "mqtt-clients:read",
  "mqtt-clients:write",
  "users:read",
  "users:write",
  "audit:read",
  "own-key:read",
  "own-key:rotate",
] as const;

/** All scopes. */
export const SCOPES = [...SPECIFIED_SCOPES, ...ADDED_SCOPES] as const;

export type Scope = (typeof SCOPES)[number];

const KNOWN: ReadonlySet<string> = new Set(SCOPES);
/**
 * Resources with a `*`, which means read and write. Resources without both have no `*`, and `provisioning` scopes must
 * be spelled out (spec 5 rules 3, 5).
 */
const WITH_WILDCARD: ReadonlySet<string> = new Set(
  SCOPES.map(resourceOf).filter(
    (resource) => resource !== "provisioning" && KNOWN.has(`${resource}:read`) && KNOWN.has(`${resource}:write`),
  ),
);

/** The scopes that a key may be given: each scope, and `<resource>:*` where that exists. */
const GRANTABLE = [...SCOPES, ...[...WITH_WILDCARD].map((resource) => `${resource}:*`)];

/**
 * Checks the scopes requested for a new key: known ones, or `<resource>:*` where that exists.
 *
 * @returns them without duplicates, in the given order, wildcards unexpanded
 * @throws MusterError invalid_request with the first bad scope in `detail`
 */
export function checkScopes(asked: readonly string[]): string[] {
  if (asked.length === 0) throw invalidRequest(`a key needs at least one scope. Valid scopes: ${GRANTABLE.join(", ")}`);
  const bad = asked.find((scope) => !isGrantable(scope));
  if (bad === undefined) return [...new Set(asked)];
  const [resource = "", action] = bad.split(":");
  throw action === "*" && scopesOf(resource).length > 0
    ? invalidRequest(
        `there is no wildcard of ${resource}: name each of its scopes: ${scopesOf(resource).join(", ")}`,
        bad,
      )
    : invalidRequest(`Unknown scope ${bad}. Valid scopes: ${GRANTABLE.join(", ")}.`, bad);
}

/** Expands granted scopes: `*` means read and write of its resource; `write` alone does not imply `read`. */
export function expandScopes(granted: readonly string[]): ReadonlySet<Scope> {
  const allowed = granted.flatMap((scope) =>
    isWildcard(scope) ? [`${resourceOf(scope)}:read`, `${resourceOf(scope)}:write`] : [scope],
  );
  return new Set(allowed.filter((scope): scope is Scope => KNOWN.has(scope)));
}

/** Does {@link expandScopes} for space-separated scopes, with a cache: many keys share few combinations. */
export function scopesIn(granted: string): ReadonlySet<Scope> {
  const known = combinations.get(granted);
  if (known) return known;
  if (combinations.size >= MOST_COMBINATIONS) combinations.clear();
  const allowed = expandScopes(granted.split(" "));
  combinations.set(granted, allowed);
  return allowed;
}

const combinations = new Map<string, ReadonlySet<Scope>>();
const MOST_COMBINATIONS = 1000;

function scopesOf(resource: string): string[] {
  return SCOPES.filter((scope) => resourceOf(scope) === resource);
}

function isGrantable(scope: string): boolean {
  return KNOWN.has(scope) || isWildcard(scope);
}

function isWildcard(scope: string): boolean {
  return scope.endsWith(":*") && WITH_WILDCARD.has(resourceOf(scope));
}

function resourceOf(scope: string): string {
  return scope.slice(0, scope.indexOf(":"));
}
