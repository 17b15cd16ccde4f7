import { adminUseCase, lockOwner, type PreparedChange } from "../access/access.ts";
import { invalidRequest } from "../lib/request-errors.ts";
import { checkExternalId } from "../lib/text.ts";
import { leaseToMqttClient } from "./client-id-store.ts";
import { hashClientPassword, isClientPassword, newClientPassword } from "./client-password.ts";
import { checkPublishTopics, checkSubscribeFilters } from "./client-topics.ts";
import type { ConnectionsDeps } from "./deps.ts";
import { auditedMqttClient, findMqttClient, insertMqttClient } from "./mqtt-client-store.ts";

/** An integration gateway or a platform service: a client that authenticates by user name and password. */
export interface NewMqttClient {
  /** The one client id that it connects with: 1 to 64 of `A-Z a-z 0-9 _ -`. */
  clientId: string;
  username: string;
  /** Topics and filters under the tenant's prefix `t/<slug>/`. */
  publish?: readonly string[];
  subscribe?: readonly string[];
  /** Unique among the enabled clients of the tenant. */
  externalId?: string | null | undefined;
}

export interface MqttClientPrincipal {
  mqttClientId: string;
  clientId: string;
  tenantId: string;
  tenantSlug: string;
  publishTopics: string[];
  subscribeFilters: string[];
}

export interface MqttCredentials {
  clientId: string;
  username: string;
  password: string;
}

type AuthenticatedMqttClient =
  | { ok: true; principal: MqttClientPrincipal }
  | { ok: false; reason: "bad_credentials" | "client_suspended"; tenantId?: string };

const CLIENT_ID = /^[A-Za-z0-9_-]{1,64}$/;
/** Cannot be mistaken for a certificate's subject, which some brokers use as the user name. */
const USERNAME = /^[A-Za-z0-9_.@-]{1,64}$/;

/**
 * Registers an MQTT client. From then on it owns its client id, connected or not. It is suspended when the caller
 * ceases to be an active admin.
 *
 * @returns its id and its password, which is shown only in this result
 * @throws {MusterError} invalid_request, client_id_in_use, username_taken, quota_exceeded; insufficient_role for a
 * former admin
 */
export const createMqttClient = adminUseCase(
  { scope: "mqtt-clients:write", role: "admin" },
  "mqtt-client.create",
  async (
    { clock, ids, quotas }: ConnectionsDeps,
    caller,
    input: NewMqttClient,
  ): Promise<PreparedChange<{ id: string; password: string }>> => {
    if (!CLIENT_ID.test(input.clientId)) throw invalidRequest("A client id is 1 to 64 characters of A-Z a-z 0-9 _ -");
    if (!USERNAME.test(input.username))
      throw invalidRequest("A user name is 1 to 64 characters of A-Z a-z 0-9 _ . @ -");
    const now = clock.now();
    const password = newClientPassword(ids);
    const row = {
      id: ids.uuid(now),
      tenant_id: caller.tenantId,
      client_id: input.clientId,
      username: input.username,
      password_hash: hashClientPassword(password),
      publish_topics: checkPublishTopics(input.publish ?? [], caller.tenantSlug),
      subscribe_filters: checkSubscribeFilters(input.subscribe ?? [], caller.tenantSlug),
      external_id: checkExternalId(input.externalId ?? null),
      created_at: now,
    };
    return {
      change: async (tx) => {
        await quotas.within(tx, caller.tenantId, "mqttClients", 1);
        const owner = await lockOwner(tx, caller);
        await leaseToMqttClient(tx, caller.tenantId, input.clientId, now);
        await insertMqttClient(tx, { ...row, owner_id: owner });
        return { target: row.client_id, after: auditedMqttClient(row), result: { id: row.id, password } };
      },
    };
  },
);

/**
 * Authenticates a client by its credentials. A refusal includes the tenant if the client id is registered. Only a
 * client with the right password learns that it is suspended.
 */
export async function authenticateMqttClient(
  { database }: ConnectionsDeps,
  given: MqttCredentials,
): Promise<AuthenticatedMqttClient> {
  if (!CLIENT_ID.test(given.clientId)) return { ok: false, reason: "bad_credentials" };
  const row = await findMqttClient(database.connects, given.clientId);
  if (!row) return { ok: false, reason: "bad_credentials" };
  const matches = isClientPassword(given.password, row.password_hash) && given.username === row.username;
  if (!matches) return { ok: false, tenantId: row.tenant_id, reason: "bad_credentials" };
  if (row.suspended) return { ok: false, tenantId: row.tenant_id, reason: "client_suspended" };
  return {
    ok: true,
    principal: {
      mqttClientId: row.id,
      clientId: row.client_id,
      tenantId: row.tenant_id,
      tenantSlug: row.tenant_slug,
      publishTopics: row.publish_topics,
      subscribeFilters: row.subscribe_filters,
    },
  };
}
