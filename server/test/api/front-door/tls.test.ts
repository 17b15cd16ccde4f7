import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect as connectTcp } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type ConnectionOptions, connect, type EphemeralKeyInfo, type TLSSocket } from "node:tls";
import { promisify } from "node:util";
import { DEFAULT_LIMITS } from "../../../src/lib/limits/limits.ts";
import { missingTool } from "../../../src/pki/test-support/tools.ts";
import { enrollDevice, newTenant, renew } from "../../harness/devices.ts";
import { https } from "../../harness/http/https.ts";
import { keyExchanges, refusedKeyExchanges } from "../../harness/http/key-exchanges.ts";
import { startServer, type TestServer } from "../../harness/server.ts";

let server: TestServer;

before(async () => {
  server = await startServer();
});
after(() => server.stop());

/** Resolves with a completed handshake, or rejects with its failure. */
function handshake(target: TestServer, options: ConnectionOptions = {}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: "127.0.0.1",
      port: target.httpPort,
      servername: "localhost",
      ca: target.ca,
      ...options,
    });
    socket.once("secureConnect", () => resolve(socket));
    socket.once("error", reject);
  });
}

test("TLS 1.3 and 1.2 with ECDHE and AEAD are accepted, nothing older or weaker (RFC 9325)", async () => {
  for (const [version, ciphers] of [
    ["TLSv1.3", "DEFAULT"],
    ["TLSv1.2", "ECDHE+AESGCM"],
    ["TLSv1.2", "ECDHE+CHACHA20"],
  ] as const) {
    const socket = await handshake(server, { minVersion: version, maxVersion: version, ciphers });
    assert.equal(socket.getProtocol(), version);
    socket.destroy();
  }
  const weak = [
    { minVersion: "TLSv1.2", maxVersion: "TLSv1.2", ciphers: "ECDHE-ECDSA-AES128-SHA256:ECDHE-ECDSA-AES256-SHA" },
    { minVersion: "TLSv1.2", maxVersion: "TLSv1.2", ciphers: "AES128-GCM-SHA256:AES256-SHA" },
    { minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" },
    { minVersion: "TLSv1", maxVersion: "TLSv1", ciphers: "DEFAULT@SECLEVEL=0" },
  ] as const;
  for (const options of weak) await assert.rejects(handshake(server, options), options.ciphers);
});

test("the hybrid post-quantum key exchange is preferred, and classical groups still work", async () => {
  for (const [options, expected] of keyExchanges) {
    const socket = await handshake(server, options);
    assert.equal((socket.getEphemeralKeyInfo() as EphemeralKeyInfo).name, expected, JSON.stringify(options));
    socket.destroy();
  }
  for (const options of refusedKeyExchanges) await assert.rejects(handshake(server, options), options.ecdhCurve);
});

test("a client cannot renegotiate, which would cost the server a handshake each time", async () => {
  const socket = await handshake(server, { minVersion: "TLSv1.2", maxVersion: "TLSv1.2" });
  const refused = await new Promise<Error | null>((resolve) => {
    socket.once("error", resolve);
    socket.once("close", () => resolve(new Error("closed")));
    socket.renegotiate({}, (error) => resolve(error));
  });
  assert.notEqual(refused, null);
  socket.destroy();
});

test("no session can be resumed, so that no certificate escapes verification (nodejs/node #35317)", async () => {
  for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
    let session: Buffer | undefined;
    const first = await handshake(server, { minVersion: version, maxVersion: version });
    first.on("session", (ticket) => {
      session = ticket;
    });
    first.write("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    await new Promise((resolve) => first.resume().once("close", resolve));
    session ??= first.getSession();
    const again = await handshake(server, {
      minVersion: version,
      maxVersion: version,
      ...(session ? { session } : {}),
    });
    assert.equal(again.isSessionReused(), false, version);
    again.destroy();
  }
});

test("a certificate of a foreign authority does not stop the request, and proves nothing", async () => {
  const other = await startServer();
  try {
    const device = await enrollDevice(other, await newTenant(other));
    assert.equal((await renew(other, device)).answer.status, 200);
    const { answer } = await renew(server, device);
    assert.deepEqual([answer.status, answer.json.error], [401, "cert_invalid"]);
    const health = await https(`${server.httpUrl}/healthz`, { ca: server.ca, cert: device.fullchain, key: device.key });
    assert.equal(health.status, 200);
  } finally {
    await other.stop();
  }
});

test("the listener names only its own authorities as acceptable: a browser asks for no other certificate (RFC 8446 4.2.4)", {
  skip: missingTool("openssl"),
}, async () => {
  const args = ["s_client", "-connect", `127.0.0.1:${server.httpPort}`, "-servername", "localhost"];
  const names: string[][] = [];
  for (const version of ["-tls1_2", "-tls1_3"]) {
    const client = promisify(execFile)("openssl", [...args, version]);
    client.child.stdin!.end();
    const { stdout } = await client;
    const [, list = ""] = /Acceptable client certificate CA names\n((?:\S+ = .*\n)*)/.exec(stdout) ?? [];
    names.push(list.trim().split("\n"));
  }
  const { authorities } = server.app;
  const known = [...authorities.deviceRootsDer(), ...authorities.intermediatesDer()];
  const expected = known
    .map((der) => new X509Certificate(der).subject)
    .map((subject) => subject.replaceAll("\n", ", ").replaceAll("=", " = "));
  assert.deepEqual(names, [expected, expected]);
});

test("a failed handshake leaves no socket behind", async () => {
  const connections = () => new Promise<number>((resolve) => listenerOf(server).getConnections((_e, n) => resolve(n)));
  const before = await connections();
  for (let i = 0; i < 20; i++) {
    await new Promise<void>((resolve) => {
      const socket = connectTcp(server.httpPort, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\n\r\n"));
      socket.resume().on("error", () => undefined);
      socket.once("close", () => resolve());
    });
  }
  assert.ok((await connections()) <= before + 1);
  assert.ok(DEFAULT_LIMITS.httpsHandshakeSeconds <= 10 && DEFAULT_LIMITS.httpsHeaderSeconds <= 10);
});

function listenerOf({ app }: TestServer) {
  return app.api.server;
}

/** Creates a self-signed certificate and key, as an operator might provide them. */
function operatorPair(folder: string, name: string): { cert: string; key: string } {
  const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  execFileSync(
    "openssl",
    `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=${name} -addext subjectAltName=DNS:localhost -keyout ${key} -out ${cert}`.split(
      " ",
    ),
    { stdio: "pipe" },
  );
  return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
}

test("an operator's certificate is reloaded when its files change; a bad pair leaves the old one in use", {
  skip: missingTool("openssl"),
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "muster-operator-"));
  const [first, second] = [operatorPair(folder, "first"), operatorPair(folder, "second")];
  const files = { MUSTER_TLS_CERT_FILE: join(folder, "tls.crt"), MUSTER_TLS_KEY_FILE: join(folder, "tls.key") };
  const put = (cert: string, key: string) => {
    writeFileSync(files.MUSTER_TLS_CERT_FILE, cert);
    writeFileSync(files.MUSTER_TLS_KEY_FILE, key);
  };
  put(first.cert, first.key);
  const own = await startServer({ env: files });
  const served = async () => {
    const socket = await handshake(own, { ca: [first.cert, second.cert] });
    const { subject } = new X509Certificate(socket.getPeerX509Certificate()!.raw);
    socket.destroy();
    return subject;
  };
  try {
    const { reloadCertificate } = own.app.api;
    assert.equal(await served(), "CN=first");
    assert.equal(await reloadCertificate(), false, "nothing changed");
    put(second.cert, first.key);
    assert.equal(await reloadCertificate(), false, "half a pair");
    assert.equal(await served(), "CN=first");
    put("rubbish", "rubbish");
    assert.equal(await reloadCertificate(), false);
    rmSync(files.MUSTER_TLS_CERT_FILE);
    assert.equal(await reloadCertificate(), false);
    assert.equal(await served(), "CN=first");
    put(second.cert, second.key);
    assert.equal(await reloadCertificate(), true);
    assert.equal(await served(), "CN=second");
    const device = await enrollDevice({ ...own, ca: second.cert }, await newTenant(own));
    const renewed = await renew({ ...own, ca: second.cert }, device);
    assert.equal(renewed.answer.status, 200, "client certificates are still verified by our device roots");
    assert.ok(own.logs.some((line) => line.includes("the old one stays")));
  } finally {
    await own.stop();
    rmSync(folder, { recursive: true });
  }
});

test("without an operator's certificate the development one is replaced while the server runs", async () => {
  const own = await startServer();
  try {
    const serial = async () => {
      const socket = await handshake(own, { ca: own.app.authorities.serverCaBundlePem() });
      const { serialNumber } = socket.getPeerX509Certificate()!;
      socket.destroy();
      return serialNumber;
    };
    const before = await serial();
    await own.app.authorities.rotateServer();
    assert.notEqual(await serial(), before);
  } finally {
    await own.stop();
  }
});
