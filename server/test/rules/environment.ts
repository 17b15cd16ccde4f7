import { Agent } from "node:https";
import type { NewRule, ThresholdPack } from "../../src/rules/rules.ts";
import { onPostgres } from "../harness/database/database.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { newKey, newTenant, type TestTenant } from "../harness/devices.ts";
import type { HttpAnswer } from "../harness/http/http-answer.ts";
import { https } from "../harness/http/https.ts";
import { streamVariables } from "../harness/ingest-stream.ts";
import { startJetStream } from "../harness/processes/nats-server.ts";
import { startServer } from "../harness/server.ts";
import { storedBy } from "../harness/stored-messages.ts";

export const NOWHERE = "00000000-0000-7000-8000-000000000000";
export const HOT: NewRule = { metric: "temperature", operator: "gt", value: 90, severity: "major" };
const JSON_BODY = { "content-type": "application/json" };
const SCOPES = ["devices:*", "thresholds:*", "anomalies:*"];

export type Environment = Awaited<ReturnType<typeof startEnvironment>>;

/**
 * A server and two tenants, for the suites of rules, anomalies and device replacement.
 * @param ingest `stream`: three nodes with `MUSTER_INGEST=stream`, each of which stores a third of the devices'
 *   messages
 */
export async function startEnvironment(ingest: "direct" | "stream" = "direct") {
  const nats = ingest === "stream" ? await startJetStream() : undefined;
  const env = nats ? streamVariables([nats]) : {};
  const server = await startServer({ env });
  /** Another process on the same database; the embedded database admits only one. */
  const second = onPostgres ? await startServer({ env, share: server }) : server;
  const third = nats ? await startServer({ env, share: server }) : second;
  const servers = [...new Set([server, second, third])];
  let asked = 0;
  const agent = new Agent({ keepAlive: true });
  const keys = new Map<string, { key: string; asked: number }>();

  /** Returns an API key of the tenant, a new one after 100 requests, because each key may make 120 per minute. */
  async function keyOf(tenant: TestTenant): Promise<string> {
    const known = keys.get(tenant.slug);
    if (known && known.asked++ < 100) return known.key;
    const key = await newKey(server, tenant, ...SCOPES);
    keys.set(tenant.slug, { key, asked: 0 });
    return key;
  }

  const tenant = await newTenant(server);

  return {
    server,
    second,
    servers,
    /** Returns each node in turn; undefined without the ingest stream. */
    nextServer: nats && (() => servers[asked++ % servers.length]!),
    /** Resolves when everything that devices have sent to these servers is stored. */
    stored: storedBy(servers.map(({ app }) => app)),
    tenant,
    otherTenant: await newTenant(server),
    keyOf,
    /** Calls the API of one process (`at`) with a key of a tenant (`by`). */
    async ask(
      method: string,
      path: string,
      body?: unknown,
      headers = {},
      { by = tenant, at = server } = {},
    ): Promise<HttpAnswer> {
      const sent = { "x-api-key": await keyOf(by), ...(body === undefined ? {} : JSON_BODY), ...headers };
      const options = { ca: server.ca, agent, method, headers: sent };
      return https(`${at.httpUrl}/api/v1/${path}`, body === undefined ? options : { ...options, body });
    },
    async newDevice(tenant: TestTenant, groupIds: string[] = []): Promise<{ id: string; uid: string }> {
      const { id } = await server.app.devices.createDevice(tenant.caller, { name: "Pump", groupIds });
      const find = "SELECT uid FROM devices WHERE tenant_id = $1 AND id = $2";
      const [row] = await runSql<{ uid: string }>(server.app.database.db, find, [tenant.caller.tenantId, id]);
      return { id, uid: row!.uid };
    },
    newPack: (tenant: TestTenant, ...rules: NewRule[]): Promise<ThresholdPack> =>
      server.app.rules.createThreshold(tenant.caller, {
        name: "Bearings",
        rules: rules.length > 0 ? rules : [HOT],
      }),
    async stop(): Promise<void> {
      agent.destroy();
      for (const each of servers.toReversed()) await each.stop();
      await nats?.stop();
    },
  };
}

export function refusal({ status, json }: HttpAnswer): unknown[] {
  return [status, json?.error, json?.detail];
}
