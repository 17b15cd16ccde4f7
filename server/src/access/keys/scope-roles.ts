import { ROLES, type Role } from "../caller.ts";
import { expandScopes, type Scope } from "./scopes.ts";

/**
 * The least role of a user who may do anything that the scope allows a key. A test compares it with the rules of all
 * use cases.
 */
export const LEAST_ROLES: Readonly<Record<Scope, Role>> = {
  "devices:read": "viewer",
  "devices:write": "operator",
  "groups:read": "viewer",
  "groups:write": "admin",
  "shifts:read": "viewer",
  "shifts:write": "operator",
  "thresholds:read": "viewer",
  "thresholds:write": "operator",
  "anomalies:read": "viewer",
  "anomalies:write": "operator",
  "tickets:read": "viewer",
  "tickets:write": "operator",
  "provisioning:read": "admin",
  "provisioning:write": "admin",
  "device-certificates:read": "viewer",
  "device-certificates:issue": "admin",
  "device-certificates:revoke": "admin",
  "telemetry:read": "viewer",
  "device-registry:create": "admin",
  "device-registry:delete": "admin",
  "refusals:read": "viewer",
  "events:read": "viewer",
  "webhooks:read": "admin",
  "webhooks:write": "admin",
  "commands:read": "operator",
  "commands:write": "operator",
  "device-types:read": "viewer",
  "device-types:write": "admin",
  "group-members:write": "admin",
  "group-channels:write": "admin",
  "mqtt-clients:read": "admin",
  "mqtt-clients:write": "admin",
  "users:read": "admin",
  "users:write": "admin",
  "audit:read": "admin",
  "own-key:read": "viewer",
  "own-key:rotate": "viewer",
};

/** Returns the granted scopes, with wildcards expanded, that have no effect while the key's owner has this role. */
export function ineffectiveScopes(granted: readonly string[], owner: Role): Scope[] {
  return [...expandScopes(granted)].filter((scope) => ROLES.indexOf(owner) > ROLES.indexOf(LEAST_ROLES[scope]));
}
