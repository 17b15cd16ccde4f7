import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { type AddressInfo, connect as connectTcp, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { connect, type TLSSocket } from "node:tls";
import { answerUnreadable, createListener, type HttpsLimits } from "../../../src/api/listener/listener.ts";
import { DEFAULT_LIMITS } from "../../../src/lib/limits/limits.ts";
import { mutualTls } from "../../../src/lib/sockets/mutual-tls.ts";
import { caEnvironments } from "../../harness/authorities.ts";
import { FakeClock } from "../../harness/fake-clock.ts";

const caEnvironment = caEnvironments();

/** A listener with limits short enough to wait for. */
async function listening(t: TestContext, limits: Partial<HttpsLimits>, answer = here) {
  const environment = await caEnvironment(t);
  const authorities = await environment.process({ publicHost: "localhost" });
  const context = mutualTls(authorities.httpsTls(), authorities.clientIssuers());
  const { server } = createListener(context, answer, {
    limits: { ...DEFAULT_LIMITS, ...limits },
    proxies: [],
    clock: new FakeClock(),
    onCapReached: () => undefined,
    refuse: ({ response }) => response.end(),
    checkEveryMs: 50,
  });
  server.on("clientError", (error, socket) => answerUnreadable(error, socket, "test"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => new Promise<void>((resolve) => server.close(() => resolve()).closeAllConnections()));
  return { server, port: (server.address() as AddressInfo).port, ca: authorities.serverCaBundlePem() };
}

const here: RequestListener = (_request, response) => response.end("here");

function closed(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.on("error", () => undefined);
  return new Promise((resolve) => socket.once("close", () => resolve(text)));
}

function opened(port: number): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connectTcp(port, "127.0.0.1", () => resolve(socket));
  });
}

function secured(port: number, ca: string): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, servername: "localhost", ca }, () => resolve(socket));
    socket.once("error", reject);
  });
}

test("a peer that never finishes its handshake is closed in time", async (t) => {
  const { port } = await listening(t, { httpsHandshakeSeconds: 0.1 });
  await closed(await opened(port));
});

test("a peer that finishes its handshake and sends nothing, or half a header, is closed in time", async (t) => {
  const { port, ca } = await listening(t, { httpsHeaderSeconds: 0.1, httpsRequestSeconds: 0.2 });
  await closed(await secured(port, ca));
  const half = await secured(port, ca);
  half.write("GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ");
  assert.match(await closed(half), /^HTTP\/1\.1 408 [\s\S]*"error":"request_timeout"/);
});

test("a body that arrives too slowly is cut off with 408, however many bytes still arrive", async (t) => {
  const { port, ca } = await listening(
    t,
    { httpsHeaderSeconds: 0.2, httpsRequestSeconds: 0.2 },
    (request, response) => {
      request.resume().once("end", () => response.end("here"));
    },
  );
  const slow = await secured(port, ca);
  slow.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n");
  const drip = () => void (slow.writable && slow.write("x", () => setTimeout(drip, 20)));
  drip();
  assert.match(await closed(slow), /^HTTP\/1\.1 408 [\s\S]*"error":"request_timeout"/);
});

test("an answer that the client does not read, and an idle connection, are closed in time", async (t) => {
  const unread = await listening(t, { httpsIdleSeconds: 0.1 }, (_request, response) =>
    response.end(Buffer.alloc(32 * 1024 * 1024)),
  );
  const gone = new Promise((resolve) =>
    unread.server.once("secureConnection", (socket) => socket.once("close", resolve)),
  );
  const deaf = await secured(unread.port, unread.ca);
  deaf.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  deaf.pause();
  await gone;
  deaf.destroy();
  const { port, ca } = await listening(t, { httpsKeepAliveSeconds: 0.05 });
  const idle = await secured(port, ca);
  idle.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  assert.match(await closed(idle), /^HTTP\/1\.1 200 /);
});
