import { createAdministrator } from "../../../load/administrator.ts";
import type { Attack, Environment } from "../../attack.ts";
import { type Pipelines, pipeline } from "../../hostile/pipelines.ts";

const CONNECTIONS = 30;
/** The requests that a key and a session may send in a minute; here all at once, from many connections. */
const KEY_REQUESTS = 120;
const SESSION_REQUESTS = 600;
const KEYS = 5;

interface Plan {
  readonly pipelines: Pipelines;
  /** A header of credentials for each user of the attack. */
  readonly credentials: readonly string[];
}

const pipelines = ({ https }: Environment, requests: number): Pipelines => ({
  target: https,
  connections: CONNECTIONS,
  requestsAWrite: Math.ceil(requests / CONNECTIONS),
  reads: true,
});

const get = (path: string, header: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${header}\r\n\r\n`;

/** Clients with credentials that send a minute's requests at once, and go on. */
export const insiders: readonly Attack<Plan>[] = [
  {
    name: "insider-keys",
    what: `${KEYS} API keys of one tenant pipeline lists from ${CONNECTIONS} connections, beyond their limit, too`,
    memory: 150,
    async prepare(env) {
      const tenant = await env.newTenant("insider-keys");
      const keys = await Promise.all(Array.from({ length: KEYS }, () => tenant.newKey()));
      return {
        pipelines: pipelines(env, KEYS * KEY_REQUESTS),
        credentials: keys.map((key) => `x-api-key: ${key}`),
      };
    },
    assault: async ({ pipelines, credentials }, run) =>
      await pipeline(pipelines, run, (count) => get("/api/v1/devices", credentials[count % credentials.length]!)),
  },
  {
    name: "insider-session",
    what: `a session of the admin app pipelines lists from ${CONNECTIONS} connections, beyond its limit, too`,
    memory: 150,
    async prepare(env) {
      const tenant = await env.newTenant("insider-session");
      const cookie = await (await createAdministrator(env.service, tenant.slug)).newSession();
      return { pipelines: pipelines(env, SESSION_REQUESTS), credentials: [`cookie: ${cookie}`] };
    },
    assault: async ({ pipelines, credentials }, run) =>
      await pipeline(pipelines, run, () => get("/api/admin/devices", credentials[0]!)),
  },
];
