import { adminUseCase, type PreparedChange, useCase } from "../access/access.ts";
import type { Tx } from "../db/database.ts";
import type { Page, PageRequest } from "../lib/page.ts";
import { notFound } from "../lib/request-errors.ts";
import type { ConnectionsDeps } from "./deps.ts";
import { DROP_TIMEOUT_MS, type Drops } from "./drops/drops.ts";
import { enqueueDrops } from "./drops/enqueue-drop-store.ts";
import {
  auditedMqttClient,
  deleteMqttClients,
  disableMqttClient as disableRow,
  findMqttClientOfTenant,
  hasMqttClient,
  type ListedMqttClient,
  listMqttClientRows,
} from "./mqtt-client-store.ts";

type Deps = ConnectionsDeps & { drops: Drops };

/** An MQTT client without its password. */
export interface MqttClientRecord {
  id: string;
  clientId: string;
  username: string;
  publish: string[];
  subscribe: string[];
  /** The name by which a program that manages the client knows it. */
  externalId: string | null;
  createdAt: Date;
  disabledAt: Date | null;
  /** Whether it is refused because its owner is no longer an active admin. */
  suspended: boolean;
  /** The admin who registered it, or later enabled it or replaced its password; null if the shell did. */
  ownerId: string | null;
  /** The owner's e-mail address. */
  owner: string | null;
  connected: boolean;
}

/** Returns the tenant's MQTT clients, including disabled ones, newest first. */
export const listMqttClients = useCase(
  { scope: "mqtt-clients:read", role: "admin" },
  async ({ database }: ConnectionsDeps, caller, page: PageRequest): Promise<Page<MqttClientRecord>> => {
    const { rows, total } = await listMqttClientRows(database.db, caller.tenantId, page);
    return { items: rows.map(toRecord), total, ...page };
  },
);

/** Returns the MQTT client of a client id, also if it is disabled. @throws MusterError not_found */
export const getMqttClient = useCase(
  { scope: "mqtt-clients:read", role: "admin" },
  async ({ database }: ConnectionsDeps, { tenantId }, clientId: string): Promise<MqttClientRecord> => {
    const row = clientId.includes("\0") ? undefined : await findMqttClientOfTenant(database.db, tenantId, clientId);
    if (!row) throw notFound("MQTT client");
    return toRecord(row);
  },
);

/**
 * Disables the MQTT client of a client id. Its password is refused, its client id is free, and its session is closed,
 * in whichever process, before this returns. Idempotent.
 *
 * @throws {MusterError} not_found
 */
export const disableMqttClient = adminUseCase(
  { scope: "mqtt-clients:write", role: "admin" },
  "mqtt-client.disable",
  async (deps: Deps, caller, clientId: string): Promise<PreparedChange<void>> =>
    ending(deps, clientId, async (tx, now) => {
      const client = await disableRow(tx, caller.tenantId, clientId, now);
      if (client === undefined) {
        if (await hasMqttClient(tx, caller.tenantId, clientId)) return [];
        throw notFound("MQTT client");
      }
      return [client];
    }),
);

/**
 * Deletes the MQTT clients of a client id, including disabled ones of earlier registrations. Otherwise like {@link
 * disableMqttClient}.
 *
 * @throws {MusterError} not_found
 */
export const deleteMqttClient = adminUseCase(
  { scope: "mqtt-clients:write", role: "admin" },
  "mqtt-client.delete",
  async (deps: Deps, caller, clientId: string): Promise<PreparedChange<void>> =>
    ending(deps, clientId, async (tx, now) => {
      await disableRow(tx, caller.tenantId, clientId, now);
      const deleted = await deleteMqttClients(tx, caller.tenantId, clientId);
      if (deleted.length === 0) throw notFound("MQTT client");
      return deleted;
    }),
);

type Ended = Parameters<typeof auditedMqttClient>[0];

/**
 * Ends clients and enqueues the drops of their sessions in one transaction, then waits until every process has closed
 * them.
 */
function ending(
  { clock, drops }: Deps,
  clientId: string,
  end: (tx: Tx, now: Date) => Promise<Ended[]>,
): PreparedChange<void> {
  let seqs: string[] = [];
  return {
    change: async (tx) => {
      seqs = [];
      const now = clock.now();
      const ended = await end(tx, now);
      for (const { id } of ended)
        seqs.push(...(await enqueueDrops(tx, { mqttClientId: id, clientId, reason: "client_disabled" }, now)));
      const before = { clients: ended.map(auditedMqttClient) };
      return { target: clientId, before, result: undefined, unchanged: ended.length === 0 };
    },
    committed: async () => {
      await drops.awaitDrops(seqs, DROP_TIMEOUT_MS);
    },
  };
}

function toRecord(row: ListedMqttClient): MqttClientRecord {
  return {
    id: row.id,
    clientId: row.client_id,
    username: row.username,
    publish: row.publish_topics,
    subscribe: row.subscribe_filters,
    externalId: row.external_id,
    createdAt: row.created_at,
    disabledAt: row.disabled_at,
    suspended: row.suspended,
    ownerId: row.owner_id,
    owner: row.owner,
    connected: row.connected,
  };
}
