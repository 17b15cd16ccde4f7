import assert from "node:assert/strict";
import { connect, isIPv4 } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { MqttClient } from "mqtt";
import { newTenant, type TestTenant } from "../../harness/devices.ts";
import { startServer, type TestServer } from "../../harness/server.ts";

const CLIENT = "203.0.113.7";
/** The load balancer and all other peers of these tests are on loopback. */
const OWN = "127.0.0.1";

let server: TestServer;
let tenant: TestTenant;

before(async () => {
  server = await startServer({ env: { MUSTER_PROXY_PROTOCOL_FROM: OWN } });
  tenant = await newTenant(server);
});
after(() => server.stop());

/** Returns a header of version 2 for a client with this address. */
function header(address: string): Buffer {
  assert.ok(isIPv4(address));
  const addresses = [...address.split(".").map(Number), 10, 0, 0, 1, 0x80, 0x01, 0x22, 0xb3];
  const signature = Buffer.from("\r\n\r\n\0\r\nQUIT\n", "latin1");
  return Buffer.concat([signature, Buffer.from([0x21, 0x11, 0, 12, ...addresses])]);
}

/** Opens a connection that begins with `first`; the TLS follows in separate packets. */
function connectAfter(port: number, first: Buffer): TLSSocket {
  const socket = connect(port, OWN);
  socket.setNoDelay(true);
  // It arrives in two packets, most of the time.
  socket.write(first.subarray(0, 7));
  socket.write(first.subarray(7));
  const secure = connectTls({ socket, ca: server.ca, servername: "localhost" });
  secure.on("error", () => undefined);
  return secure;
}

function healthOver(socket: TLSSocket): Promise<string> {
  socket.write("GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
  return text(socket);
}

test("a session has the client address that the load balancer names", async () => {
  const { connections, database } = server.app;
  const wanted = { clientId: "gateway", username: "gateway" };
  const { password } = await connections.createMqttClient(tenant.caller, wanted);
  const options = { ...wanted, password, protocolVersion: 4, reconnectPeriod: 0 } as const;
  const client = new MqttClient(() => connectAfter(server.mqttPort, header(CLIENT)), options);
  client.on("error", () => undefined);
  await new Promise<void>((resolve) => client.once("connect", () => resolve()));
  const sessions = await database.db.selectFrom("mqtt_sessions").select("remote_address").execute();
  assert.deepEqual(sessions, [{ remote_address: CLIENT }]);
  client.end(true);
});

test("HTTPS accepts the header, too, and without one a connection from the load balancer is closed", async () => {
  assert.match(await healthOver(connectAfter(server.httpPort, header(CLIENT))), /^HTTP\/1\.1 200 /);
  const local = Buffer.concat([header(CLIENT).subarray(0, 12), Buffer.from([0x20, 0, 0, 0])]);
  assert.match(await healthOver(connectAfter(server.httpPort, local)), /^HTTP\/1\.1 200 /, "a probe of its own");
  for (const port of [server.httpPort, server.mqttPort]) {
    for (const first of [Buffer.alloc(0), Buffer.from("PROXY TCP4 1.2.3.4 1.2.3.4 1 2\r\n")]) {
      const socket = connectAfter(port, first);
      let isSecure = false;
      socket.once("secureConnect", () => {
        isSecure = true;
      });
      await new Promise((resolve) => socket.once("close", resolve));
      assert.equal(isSecure, false);
    }
  }
});
