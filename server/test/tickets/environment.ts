import assert from "node:assert/strict";
import { Agent } from "node:https";
import { errorCodes } from "../../src/api/openapi/openapi.ts";
import { routes } from "../../src/api/routes.ts";
import type { TicketRecord } from "../../src/tickets/tickets.ts";
import type { TicketStatus } from "../../src/tickets/transitions.ts";
import { addAnomaly } from "../harness/anomalies.ts";
import { newKey, newTenant, type TestTenant } from "../harness/devices.ts";
import type { HttpAnswer } from "../harness/http/http-answer.ts";
import { type HttpOptions, https } from "../harness/http/https.ts";
import { startServer, type TestServer } from "../harness/server.ts";

export const NOWHERE = "00000000-0000-7000-8000-000000000000";
export const page = { skip: 0, limit: 200 };

export type TicketEnvironment = Awaited<ReturnType<typeof startTicketEnvironment>>;

/** A server, two tenants, and the ticket requests of the first. */
export async function startTicketEnvironment() {
  const server = await startServer();
  const [tenant, otherTenant] = [await newTenant(server), await newTenant(server)];
  const client = ticketClient(server, tenant);
  return {
    server,
    tenant,
    otherTenant,
    ...client,
    ...records(server, tenant, client),
    async stop(): Promise<void> {
      client.agent.destroy();
      await server.stop();
    },
  };
}

/** Sends requests with an API key of the tenant. An error that the operation does not declare fails the test. */
function ticketClient(server: TestServer, tenant: TestTenant) {
  const agent = new Agent({ keepAlive: true });
  let key: string;
  let asked = 0;

  /**
   * Sends requests with a key that may read and write tickets, and replaces the key before its rate limit is used up.
   */
  async function ask(path: string, options: HttpOptions = {}): Promise<HttpAnswer> {
    if (asked++ % 100 === 0) key = await newKey(server, tenant, "tickets:*");
    const headers = { "x-api-key": key, ...options.headers };
    const url = `${server.httpUrl}/api/v1/tickets${path}`;
    const answer = await https(url, { ca: server.ca, agent, ...options, headers });
    if (answer.status >= 400) assertDeclared(options.method ?? (options.body === undefined ? "GET" : "POST"), answer);
    return answer;
  }

  return {
    agent,
    ask,
    keyId: () => key.split("_")[1],
    post: (body: unknown) => ask("", { body }),
    patch: (id: string, body: unknown, headers = {}) => ask(`/${id}`, { method: "PATCH", body, headers }),
  };
}

/** Tickets, devices and anomalies for tests. */
function records(server: TestServer, tenant: TestTenant, { ask, post }: ReturnType<typeof ticketClient>) {
  const { app, clock } = server;

  async function opened(body: object = {}): Promise<TicketRecord> {
    const answer = await post({ title: "Grease it", ...body });
    assert.equal(answer.status, 201, answer.text);
    return answer.json;
  }

  return {
    opened,
    /** Creates a ticket that reached `status` by the fewest changes. */
    async ticketIn(status: TicketStatus, body: object = {}): Promise<TicketRecord> {
      const { id } = await opened(body);
      for (const step of STEPS_TO[status]) await app.tickets.changeTicket(tenant.caller, id, { status: step });
      return (await ask(`/${id}`)).json;
    },
    addDevice: async (of = tenant, more: object = {}) =>
      (await app.devices.createDevice(of.caller, { name: "Pump", ...more })).id,
    anomalyOf: (deviceId: string, of = tenant) => addAnomaly({ database: app.database, clock }, of.caller, deviceId),
    /** Returns the ticket that the anomaly shows. */
    shownBy: async (anomalyId: string) => (await app.anomalies.getAnomaly(tenant.caller, anomalyId)).ticketId,
  };
}

const STEPS_TO: Record<TicketStatus, TicketStatus[]> = {
  open: [],
  in_progress: ["in_progress"],
  on_hold: ["in_progress", "on_hold"],
  completed: ["in_progress", "completed"],
  cancelled: ["cancelled"],
};

function assertDeclared(method: string, { json }: HttpAnswer): void {
  const declared = routes.filter((route) => route.method === method && /tickets(\/\{id\})?$/.test(route.path));
  assert.ok(
    declared.some((route) => errorCodes(route).includes(json.error)),
    json.error,
  );
}

export function assertRefused(answer: HttpAnswer, status: number, error: string, detail?: string): void {
  assert.deepEqual([answer.status, answer.json.error], [status, error], answer.text);
  if (detail !== undefined) assert.equal(answer.json.detail, detail);
}
