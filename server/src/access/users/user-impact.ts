import { isUuid } from "../../lib/ids.ts";
import { notFound } from "../../lib/request-errors.ts";
import type { Role } from "../caller.ts";
import type { AccessDeps } from "../deps.ts";
import { type KeyRow, listKeysOf } from "../keys/key-store.ts";
import { ineffectiveScopes } from "../keys/scope-roles.ts";
import { useCase } from "../use-case.ts";
import { listClientsOf } from "./owner-store.ts";

export interface KeyAtStake extends Pick<KeyRow, "id" | "name" | "scopes"> {
  /** Scopes that would have no effect if the owner had the role in question, with wildcards expanded. */
  ineffectiveScopes: string[];
  lastUsedAt: Date | null;
  lastUsedAddress: string | null;
}

export interface ClientAtStake {
  id: string;
  clientId: string;
  username: string;
  connected: boolean;
}

export interface UserImpact {
  keys: KeyAtStake[];
  mqttClients: ClientAtStake[];
}

/**
 * Lists a user's working keys and MQTT clients. Keys end when the user is deactivated, deleted or gets another
 * password; a role can make scopes ineffective. MQTT clients are suspended while the user is not an active admin.
 *
 * @param role the role in question; the default is the user's current role
 * @throws MusterError not_found
 */
export const userImpact = useCase(
  { role: "admin" },
  async (
    { database: { db }, clock }: AccessDeps,
    { tenantId },
    id: string,
    role?: Role | undefined,
  ): Promise<UserImpact> => {
    const rows = isUuid(id) ? await listKeysOf(db, tenantId, id, clock.now()) : undefined;
    if (!rows) throw notFound("user");
    const keys = rows.map(({ last_used_at, last_used_address, role: present, ...key }) => ({
      ...key,
      ineffectiveScopes: ineffectiveScopes(key.scopes, role ?? present),
      lastUsedAt: last_used_at,
      lastUsedAddress: last_used_address,
    }));
    const clients = role === "admin" ? [] : await listClientsOf(db, tenantId, id);
    return { keys, mqttClients: clients.map(({ client_id: clientId, ...client }) => ({ ...client, clientId })) };
  },
);
