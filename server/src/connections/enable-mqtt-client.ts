import { adminUseCase, lockOwner, type PreparedChange } from "../access/access.ts";
import { notFound } from "../lib/request-errors.ts";
import { leaseToMqttClient } from "./client-id-store.ts";
import type { ConnectionsDeps } from "./deps.ts";
import { auditedMqttClient, enableRow, lockMqttClient } from "./mqtt-client-store.ts";

/**
 * Enables a disabled or suspended MQTT client again, with its old password and topics. If the client id has several
 * registrations, the one disabled last is enabled. From then on the client owns its client id, and the caller answers
 * for the client. Idempotent.
 *
 * @throws {MusterError} not_found; client_id_in_use or username_taken if another client has taken it since;
 * insufficient_role for a former admin
 */
export const enableMqttClient = adminUseCase(
  { scope: "mqtt-clients:write", role: "admin" },
  "mqtt-client.enable",
  async ({ clock }: ConnectionsDeps, caller, clientId: string): Promise<PreparedChange<void>> => ({
    change: async (tx) => {
      const owner = await lockOwner(tx, caller);
      const client = await lockMqttClient(tx, caller.tenantId, clientId);
      if (client === undefined) throw notFound("MQTT client");
      if (client.disabled_at === null && !client.suspended)
        return { target: clientId, result: undefined, unchanged: true };
      if (client.disabled_at !== null) await leaseToMqttClient(tx, caller.tenantId, clientId, clock.now());
      await enableRow(tx, client, owner);
      return { target: clientId, after: auditedMqttClient(client), result: undefined };
    },
  }),
);
