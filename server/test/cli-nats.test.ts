import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { natsConfiguration } from "../src/cli/nats/configuration.ts";
import { publicKeyOf } from "../src/cli/nats/user-key.ts";
import { createLogger } from "../src/lib/logger.ts";
import { JetStream } from "../src/lib/nats/jet-stream.ts";
import { NatsClient } from "../src/lib/nats/nats-client.ts";
import { INGEST_STREAM } from "../src/lib/nats/stream-settings.ts";
import { createNatsBus, settingsOf } from "./broker/nats-buses.ts";
import { musterProcess } from "./harness/command-line.ts";
import { type NatsServer, natsMissing, startNats } from "./harness/nats-server.ts";

let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-nats-config-"));
});
after(() => rm(folder, { recursive: true }));

/** Runs `muster nats config --json`. */
async function config(...options: string[]): Promise<{ configuration: string; publicKey: string | null }> {
  const { stdout, stderr, code } = await musterProcess(["nats", "config", "--json", ...options], folder);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

test("muster nats config creates an nkey that only its owner can read, and never overwrites one", async () => {
  const file = join(folder, "muster.nk");
  const { configuration, publicKey } = await config("--new-key", file);
  assert.match(publicKey!, /^U[A-Z2-7]{55}$/);
  assert.ok(configuration.includes(`nkey: "${publicKey}"`));
  assert.match(await readFile(file, "utf8"), /^SU[A-Z2-7]{56}\n$/);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const again = await musterProcess(["nats", "config", "--new-key", file], folder);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /exists/);
});

describe("a NATS server with the printed configuration", { skip: natsMissing ?? false }, () => {
  let nats: NatsServer;
  const file = (name: string) => join(folder, name);

  before(async () => {
    makeCertificate(file("tls.pem"), file("tls-key.pem"));
    const { configuration } = await config("--new-key", file("own.nk"));
    nats = await startNats(onLoopback(configuration));
  });
  after(() => nats.stop());

  const settings = (changes = {}) =>
    settingsOf(nats, {
      servers: [`localhost:${nats.port}`],
      tls: true,
      credentialsFile: file("own.nk"),
      caFile: file("tls.pem"),
      certFile: file("tls.pem"),
      keyFile: file("tls-key.pem"),
      payloadBytes: 327_680,
      ...changes,
    });
  const nothing = () => undefined;
  const receiver = {
    deliver: nothing,
    deliverShared: nothing,
    released: nothing,
    replaced: nothing,
    undelivered: nothing,
  };

  test("takes a process with the nkey and the client certificate", async () => {
    const bus = createNatsBus(settings());
    await bus.start(receiver);
    assert.ok(bus.isConnected);
    await bus.stop();
  });

  test("refuses another nkey; the start says which setting is wrong", async () => {
    const other = file("other.nk");
    await config("--new-key", other);
    await assert.rejects(
      createNatsBus(settings({ credentialsFile: other })).start(receiver),
      /MUSTER_NATS_CREDENTIALS_FILE/,
    );
    await writeFile(file("none.nk"), "secret\n");
    await assert.rejects(
      createNatsBus(settings({ credentialsFile: file("none.nk") })).start(receiver),
      /has neither a user/,
    );
  });

  test("is not used where its certificate is of another authority", async () => {
    makeCertificate(file("foreign.pem"), file("foreign-key.pem"));
    await assert.rejects(
      createNatsBus(settings({ caFile: file("foreign.pem") })).start(receiver),
      /MUSTER_NATS_URL.*self.signed/,
    );
  });

  test("stops the start where it is too old, or takes too short messages", async () => {
    await assert.rejects(
      createNatsBus(settings({ versionFloor: "99.1" })).start(receiver),
      /has version .*needs 99.1 or later/,
    );
    await assert.rejects(
      createNatsBus(settings({ payloadBytes: 9_000_000 })).start(receiver),
      /set max_payload to 9000000/,
    );
  });

  test("whose user lacks permissions stops the start, which says so", async () => {
    const permissions = 'permissions: { publish: ["other.>"], subscribe: ["other.>"] }';
    const strict = await startNats(
      `max_payload: 4MB\nauthorization { users = [ { user: "any", password: "any", ${permissions} } ] }\nno_auth_user: any`,
    );
    await assert.rejects(
      createNatsBus(settingsOf(strict)).start(receiver),
      /does not let this user publish and subscribe/,
    );
    await strict.stop();
  });

  test("lets a process use the ingest stream and nothing else of JetStream, where MUSTER_INGEST=stream is set", async () => {
    const publicKey = (await publicKeyOf(file("own.nk")))!;
    const given = { version: "1", hosts: [], payloadBytes: 327_680, publicKey, verifyClients: true };
    const configuration = natsConfiguration({ ...given, streamBytes: 1024 ** 2 });
    assert.match(configuration, /sync_interval: always/);
    assert.doesNotMatch(natsConfiguration({ ...given, streamBytes: undefined }), /jetstream|JS\.API/);
    // Debian's server is older than this setting.
    const known = configuration.replace(/\n.*sync_interval: .*/, "").replace("/var/lib/nats", file("jetstream"));
    const server = await startNats(onLoopback(known).replace(/cluster \{[\s\S]*\n\}\n/, ""));
    const client = new NatsClient({
      settings: { ...settings(), servers: [`localhost:${server.port}`] },
      name: "test",
      subscriptions: new Map([["muster.test", nothing]]),
      onUp: nothing,
      onConnected: nothing,
      consequences: { unreachable: "", broken: "" },
      logger: createLogger("silent"),
    });
    await client.open();
    const stream = new JetStream(client, INGEST_STREAM);
    const limits = { maxBytes: 1024 ** 2, replicas: 1, duplicateWindowMs: 120_000 };
    await stream.create({ name: INGEST_STREAM, subjects: ["muster.ingest.*"], ...limits });
    const sequence = await stream.append("muster.ingest.3", "a", Buffer.from("x"), 5_000);
    assert.equal(await stream.append("muster.ingest.3", "a", Buffer.from("x"), 5_000), sequence);
    assert.equal(String((await stream.next("muster.ingest.3", 1))?.data), "x");
    await stream.purge("muster.ingest.3", sequence + 1);
    assert.equal(await stream.next("muster.ingest.3", 1), undefined);
    await assert.rejects(client.request("$JS.API.STREAM.DELETE.MUSTER_INGEST", "", 300));
    await client.close();
    await server.stop();
  });

  /** The printed configuration for one server of this machine. */
  function onLoopback(configuration: string): string {
    return configuration
      .replace("$NATS_SERVER_NAME", "nats-1")
      .replace("listen: 0.0.0.0:4222\n", "")
      .replace("0.0.0.0:6222", "127.0.0.1:-1")
      .replace(/\n *"nats-route:.*/g, "")
      .replaceAll("/etc/nats/tls/server.pem", file("tls.pem"))
      .replaceAll("/etc/nats/tls/server-key.pem", file("tls-key.pem"))
      .replaceAll("/etc/nats/tls/ca.pem", file("tls.pem"));
  }
});

/** Of an authority of its own, for servers and clients. */
function makeCertificate(certFile: string, keyFile: string): void {
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  execFileSync("openssl", ["req", ...kind, ...names, "-keyout", keyFile, "-out", certFile], { stdio: "ignore" });
}
