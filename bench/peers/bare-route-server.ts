/**
 * `GET /devices/:id` in the shortest possible Fastify program: one SELECT by the unique index, prepared, its row sent
 * as JSON. No key, no limit, no validation. TLS and the pool are set as ours are. Prints its port.
 */
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import Fastify from "fastify";
import pg from "pg";
import { mutualTls } from "../../server/src/lib/sockets/mutual-tls.ts";

const { BARE_DATABASE_URL, BARE_TENANT, BARE_CERT, BARE_KEY } = process.env as Record<string, string>;

const pool = new pg.Pool({
  connectionString: BARE_DATABASE_URL,
  max: 10,
  statement_timeout: 2500,
  query_timeout: 2750,
});

const tls = mutualTls({ cert: BARE_CERT!, key: BARE_KEY! }, { deviceRoots: BARE_CERT! });
const app = Fastify({ serverFactory: (handler) => createServer({ ...tls, ALPNProtocols: ["http/1.1"] }, handler) });

app.get("/devices/:id", async (request, reply) => {
  const { id } = request.params as { id: string };
  const { rows } = await pool.query({ name: "device", text: SELECT, values: [BARE_TENANT, id] });
  return rows[0] ?? reply.code(404).send({ error: "not_found" });
});

const SELECT = `SELECT id, name, description, device_type_id, metadata, hardware_fingerprint, hardware_model,
    agent_version, agent_capabilities, mac_address, connectivity, connectivity_since, connectivity_reason,
    greatest(last_seen_at, seen_at) AS last_seen_at, created_at, updated_at
  FROM devices LEFT JOIN device_latest ON device_uid = uid AND part = 0 WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NULL`;

await app.listen({ host: "127.0.0.1", port: 0 });
console.log(`listening ${(app.server.address() as AddressInfo).port}`);
process.once("SIGTERM", () => process.exit(0));
