import assert from "node:assert/strict";
import type { RequestListener, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { connect, type TLSSocket } from "node:tls";
import { createListener, type HttpsLimits } from "../../../src/api/listener/listener.ts";
import { SECOND } from "../../../src/lib/clock.ts";
import { DEFAULT_LIMITS } from "../../../src/lib/limits/limits.ts";
import type { ConnectionCap } from "../../../src/lib/sockets/cap-reports.ts";
import { mutualTls } from "../../../src/lib/sockets/mutual-tls.ts";
import { caEnvironments } from "../../harness/authorities.ts";
import { eventually } from "../../harness/eventually.ts";
import { FakeClock } from "../../harness/fake-clock.ts";

const caEnvironment = caEnvironments();
const GET = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";
/** A request with credentials. */
const KNOWN_GET = "GET /known HTTP/1.1\r\nhost: x\r\n\r\n";

/** An HTTPS listener with a handler of the test. */
async function frontDoor(t: TestContext, limits: Partial<HttpsLimits>, answer: RequestListener, tokens = 3_000) {
  const authorities = await (await caEnvironment(t)).process({ publicHost: "localhost" });
  const clock = new FakeClock();
  const closed: ConnectionCap[] = [];
  const onRequest: RequestListener = (request, response) => {
    if (request.url === "/known") listener.authenticated(request);
    answer(request, response);
  };
  const listener = createListener(
    mutualTls(authorities.httpsTls(), { deviceRoots: authorities.clientIssuers().deviceRoots }),
    onRequest,
    {
      limits: {
        ...DEFAULT_LIMITS,
        httpsUnauthenticatedRequests: tokens,
        httpsUnauthenticatedRequestsPerSecond: 1,
        ...limits,
      },
      proxies: [],
      clock,
      onCapReached: (cap) => closed.push(cap),
      refuse: ({ response }, retryAfterSeconds) =>
        response.writeHead(429, { "retry-after": String(retryAfterSeconds) }).end(),
    },
  );
  const { server } = listener;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => new Promise<void>((resolve) => server.close(() => resolve()).closeAllConnections()));
  const { port } = server.address() as AddressInfo;
  return { port, ca: authorities.serverCaBundlePem(), clock, closed };
}

type Door = Awaited<ReturnType<typeof frontDoor>>;

/** A connection with its received text. */
async function open({ port, ca }: Door): Promise<{ socket: TLSSocket; text(): string; ended: Promise<void> }> {
  let received = "";
  const socket = connect({ host: "127.0.0.1", port, servername: "localhost", ca });
  const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.on("data", (chunk) => {
    received += chunk;
  });
  await new Promise((resolve, reject) => socket.once("secureConnect", resolve).once("error", reject));
  socket.on("error", () => undefined);
  return { socket, text: () => received, ended };
}

const answersIn = (text: string) => text.split("HTTP/1.1 200").length - 1;

for (const [client, request, atOnce] of [
  ["an unauthenticated client", GET, 2],
  ["a client with credentials", KNOWN_GET, 8],
] as const)
  test(`${atOnce} pipelined requests of ${client} are processed concurrently, and answered in order`, async (t) => {
    let [underWay, most, count] = [0, 0, 0];
    const door = await frontDoor(t, {}, (_request, response) => {
      most = Math.max(most, ++underWay);
      const nth = count++;
      setImmediate(() => {
        underWay--;
        response.end(`${nth}.`);
      });
    });
    const { socket, text } = await open(door);
    socket.write(request.repeat(600));
    await eventually(async () => answersIn(text()) === 600);
    assert.equal(most, atOnce);
    const bodies = [...text().matchAll(/\r\n\r\n(?:\w+\r\n)?(\d+)\./g)].map(([, body]) => Number(body));
    assert.deepEqual(
      bodies,
      Array.from({ length: 600 }, (_, nth) => nth),
    );
  });

test("bodies, split requests and blank lines within a body arrive complete, wherever they are cut", async (t) => {
  const bodies: string[] = [];
  const door = await frontDoor(t, {}, async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    bodies.push(body);
    response.end();
  });
  const { socket, text } = await open(door);
  const body = "one\r\n\r\ntwo\r\n\r\nthree";
  const post = `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const bytes = post.repeat(20);
  for (let at = 0; at < bytes.length; at += 7) socket.write(bytes.slice(at, at + 7));
  await eventually(async () => answersIn(text()) === 20);
  assert.deepEqual(new Set(bodies), new Set([body]));
});

test("concurrent requests are capped per address block and per process, and further ones wait", async (t) => {
  const waiting: ServerResponse[] = [];
  const limits = { httpsRequestsOfAddress: 5 };
  const door = await frontDoor(t, limits, (_request, response) => void waiting.push(response));
  const clients = await Promise.all(Array.from({ length: 4 }, () => open(door)));
  for (const { socket } of clients) socket.write(GET.repeat(4));
  const answered = () => clients.reduce((sum, { text }) => sum + answersIn(text()), 0);
  for (let left = 16; left > 0; left--) {
    await eventually(async () => waiting.length === Math.min(5, left));
    waiting.shift()!.end();
  }
  await eventually(async () => answered() === 16);
  assert.equal(waiting.length, 0);
});

test("requests whose bodies do not arrive give their places to others, those without credentials first", async (t) => {
  const limits = { httpsRequests: 4 };
  const door = await frontDoor(t, limits, (request, response) => void request.resume().on("end", () => response.end()));
  const post = (path: string) => `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\n`;
  const known = await open(door);
  known.socket.write(post("/known"));
  const silent = await Promise.all(Array.from({ length: 3 }, () => open(door)));
  for (const { socket } of silent) socket.write(post("/"));
  const honest = await open(door);
  honest.socket.write(GET);
  door.clock.advance(2 * SECOND);
  await Promise.all(silent.map(({ ended }) => ended));
  await eventually(async () => answersIn(honest.text()) === 1);
  known.socket.write("12345");
  await eventually(async () => answersIn(known.text()) === 1);
  assert.deepEqual(door.closed, ["body", "body", "body"]);
});

test("answers that their clients do not read keep no other client waiting", async (t) => {
  const limits = { httpsRequestsOfAddress: 3 };
  const answer = Buffer.alloc(10_000_000);
  const door = await frontDoor(t, limits, ({ url }, response) => void response.end(url === "/" ? answer : "here"));
  const silent = await Promise.all(Array.from({ length: 3 }, () => open(door)));
  for (const { socket } of silent) {
    socket.pause();
    socket.write(GET);
  }
  const honest = await open(door);
  for (let sent = 1; sent <= 3; sent++) {
    honest.socket.write(KNOWN_GET);
    await eventually(async () => answersIn(honest.text()) === sent);
  }
  assert.deepEqual(door.closed, []);
});

test("a client that reads no answers loses its connection, and no other does", async (t) => {
  const answer = Buffer.alloc(200_000, "x");
  const limits = { httpsUnsentBytesOfAddress: 500_000 };
  const door = await frontDoor(t, limits, (_request, response) => void response.end(answer));
  const honest = await open(door);
  const greedy = await Promise.all(Array.from({ length: 20 }, () => open(door)));
  for (const { socket } of greedy) {
    socket.pause();
    socket.write(GET.repeat(250));
  }
  await eventually(async () => door.closed.includes("unsent"));
  for (let read = 1; read <= 8; read++) {
    honest.socket.write(GET);
    await eventually(async () => honest.text().length > read * answer.length);
  }
  assert.equal(answersIn(honest.text()), 8);
  assert.deepEqual([...new Set(door.closed)], ["unsent"]);
});

test("a client that pipelines endlessly is read only as fast as its requests are answered", async (t) => {
  let requests = 0;
  const waiting: TLSSocket[] = [];
  const door = await frontDoor(t, {}, ({ socket }, response) => {
    if (requests++ < 500) response.end();
    else waiting.push(socket as TLSSocket);
  });
  const { socket } = await open(door);
  const bytes = GET.repeat(40_000);
  for (let more = 0; more < 20; more++) socket.write(bytes);
  await eventually(async () => waiting.length === 8);
  assert.ok(waiting[0]!.bytesRead < 300_000, `${waiting[0]!.bytesRead} bytes were read`);
});

test("large answers are written in slices as their client reads, and arrive complete", async (t) => {
  const body = Buffer.alloc(20_000_000, "0123456789abcdef-");
  const responses: ServerResponse[] = [];
  const door = await frontDoor(t, {}, (_request, response) => {
    responses.push(response);
    response.end(body);
  });
  const { socket, text } = await open(door);
  socket.pause();
  socket.write(GET.repeat(2));
  await eventually(async () => responses.length === 2);
  for (const response of responses) {
    assert.ok(response.writableLength < 200_000);
    assert.equal(response.writableEnded, false);
  }
  socket.resume();
  await eventually(async () => text().length > 2 * body.length);
  const [, first, second] = text().split("\r\n\r\n");
  assert.match(text(), /content-length: 20000000/i);
  assert.equal(first!.slice(0, body.length), body.toString());
  assert.equal(second, body.toString());
});

test("a refusal costs an unauthenticated client three times as much as another answer", async (t) => {
  const door = await frontDoor(t, {}, (_request, response) => void response.writeHead(404).end(), 30);
  const { socket, text, ended } = await open(door);
  const answers = () => text().match(/HTTP\/1\.1 404/g)?.length ?? 0;
  for (let sent = 1; sent <= 10; sent++) {
    socket.write(GET);
    await eventually(async () => answers() === sent);
  }
  socket.write(GET);
  await ended;
  assert.equal(answers(), 10);
  assert.match(text(), /HTTP\/1\.1 429/);
});

test("unauthenticated clients that use up their block's budget are answered 429 and closed, then refused at accept until it refills", async (t) => {
  const door = await frontDoor(t, {}, (_request, response) => void response.end("here"), 20);
  const unknown = await open(door);
  for (let sent = 1; sent <= 20; sent++) {
    unknown.socket.write(GET);
    await eventually(async () => answersIn(unknown.text()) === sent);
  }
  unknown.socket.write(GET);
  await unknown.ended;
  assert.match(unknown.text(), /HTTP\/1\.1 429 [\s\S]*retry-after: \d+/i);
  await assert.rejects(open(door));
  assert.deepEqual([...new Set(door.closed)], ["budget"]);
  door.clock.advance(2 * 60 * SECOND);
  const later = await open(door);
  later.socket.write(GET);
  await eventually(async () => answersIn(later.text()) === 1);
});

test("clients with credentials pay nothing, and are served while other clients of their address block are refused", async (t) => {
  const door = await frontDoor(t, {}, (_request, response) => void response.end("here"), 20);
  const known = await open(door);
  known.socket.write(KNOWN_GET.repeat(100));
  await eventually(async () => answersIn(known.text()) === 100);
  const unknown = await open(door);
  unknown.socket.write(GET.repeat(40));
  await unknown.ended;
  known.socket.write(KNOWN_GET + GET + KNOWN_GET);
  await eventually(async () => answersIn(known.text()) === 103);
  assert.deepEqual([...new Set(door.closed)], ["budget"]);
});

test("a connection that ends without credentials is charged to its address block", async (t) => {
  const door = await frontDoor(t, {}, (_request, response) => void response.end("here"), 20);
  for (let closed = 0; closed < 4; closed++) {
    const { socket, ended } = await open(door);
    socket.destroy();
    await ended;
  }
  await eventually(async () => {
    const refused = await open(door).catch(() => undefined);
    refused?.socket.destroy();
    return refused === undefined;
  });
  assert.deepEqual([...new Set(door.closed)], ["budget"]);
});

test("an unauthenticated client pays for the bytes of large answers, too", async (t) => {
  const body = Buffer.alloc(10 * 64 * 1024);
  const door = await frontDoor(t, {}, (_request, response) => void response.end(body), 30);
  const { socket, text, ended } = await open(door);
  for (let sent = 1; sent <= 3; sent++) {
    socket.write(GET);
    await eventually(async () => answersIn(text()) === sent && text().length > sent * body.length);
  }
  socket.write(GET);
  await ended;
  assert.equal(answersIn(text()), 3);
  assert.match(text(), /HTTP\/1\.1 429/);
  assert.deepEqual([...new Set(door.closed)], ["budget"]);
});

test("a large answer waits until unauthenticated clients have time again, unless its client has authenticated", async (t) => {
  const body = Buffer.alloc(5_000_000);
  const hold = { ms: 0 };
  const door = await frontDoor(t, {}, (_request, response) => {
    door.clock.advance(hold.ms);
    response.end(body);
  });
  const [unknown, known] = [await open(door), await open(door)];
  hold.ms = 10 * SECOND;
  unknown.socket.write(GET);
  await eventually(async () => answersIn(unknown.text()) === 1);
  hold.ms = 0;
  known.socket.write(KNOWN_GET);
  await eventually(async () => known.text().length > body.length);
  assert.ok(unknown.text().length < body.length, `${unknown.text().length} bytes were written`);
  door.clock.advance(60 * SECOND);
  await eventually(async () => unknown.text().length > body.length);
});
