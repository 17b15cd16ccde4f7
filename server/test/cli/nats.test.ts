import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { natsConfiguration } from "../../src/cli/nats/configuration.ts";
import { publicKeyOf } from "../../src/cli/nats/user-key.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { JetStream } from "../../src/lib/nats/jet-stream.ts";
import { NatsClient } from "../../src/lib/nats/nats-client.ts";
import { INGEST_STREAM } from "../../src/lib/nats/stream-settings.ts";
import { createNatsBus } from "../broker/bus/nats-buses.ts";
import { musterProcess } from "../harness/processes/command-line.ts";
import { type NatsServer, natsMissing, natsProgram, startNats } from "../harness/processes/nats-server.ts";
import { settingsOf } from "../harness/processes/nats-settings.ts";

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

test("muster nats config needs no setting, and none of the service's except those of NATS", async () => {
  const usual = await musterProcess(["nats", "config"], folder);
  assert.equal(usual.code, 0, usual.stderr);
  assert.match(usual.stdout, /^listen: 0\.0\.0\.0:4222$/m);
  assert.match(usual.stdout, /^# {3}MUSTER_NATS_URL=tls:\/\/nats-1\.example:4222,tls:/m);
  assert.match(usual.stderr, /lacks Muster's key: see --new-key/);
  const settings = { MUSTER_NATS_URL: "tls://one.example:4300,tls://two.example:4300", MUSTER_INGEST: "stream" };
  const { stdout, code } = await musterProcess(["nats", "config"], folder, settings);
  assert.equal(code, 0);
  assert.match(stdout, /^listen: 0\.0\.0\.0:4300$/m);
  assert.match(stdout, /"nats-route:\/\/two\.example:6300"/);
  assert.match(
    stdout,
    /^tls \{[\s\S]*verify: false\n\}[\s\S]*max_file: 5368709120\n[\s\S]*^# {3}MUSTER_INGEST=stream$/m,
  );
  const certified = { ...settings, MUSTER_NATS_CERT_FILE: "client.pem", MUSTER_NATS_KEY_FILE: "client-key.pem" };
  const verified = await musterProcess(["nats", "config"], folder, certified);
  assert.match(verified.stdout, /^tls \{[^}]*verify: true\n\}[\s\S]*MUSTER_NATS_KEY_FILE=/m);
  const open = await musterProcess(["nats", "config"], folder, { MUSTER_NATS_URL: "nats://nats.example" });
  assert.match(open.stderr, /MUSTER_NATS_URL must begin with tls:\/\//);
});

test("muster nats config --new-key creates the key file that the settings name", async () => {
  const settings = {
    MUSTER_NATS_URL: "tls://nats.example",
    MUSTER_NATS_CREDENTIALS_FILE: join(folder, "configured.nk"),
  };
  const without = await musterProcess(["nats", "config"], folder, settings);
  assert.equal(without.code, 1);
  assert.match(
    without.stderr,
    /MUSTER_NATS_CREDENTIALS_FILE: .*configured\.nk cannot be read .*create it with --new-key/,
  );
  const { stdout, stderr, code } = await musterProcess(["nats", "config", "--new-key"], folder, settings);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^Created the key .*configured\.nk: /);
  assert.ok(stdout.includes(`nkey: "${await publicKeyOf(settings.MUSTER_NATS_CREDENTIALS_FILE)}"`));
  assert.doesNotMatch(stdout, /^cluster|S[U][A-Z2-7]{56}/m);
  const again = await musterProcess(["nats", "config"], folder, settings);
  assert.equal(again.stdout, stdout);
});

test("several servers of one machine listen on loopback, each on the ports of its environment and without TLS", {
  skip: natsMissing ?? false,
}, async () => {
  const settings = { MUSTER_NATS_URL: "nats://localhost:4301,nats://localhost:4302" };
  const key = ["--new-key", join(folder, "near.nk")];
  const { stdout } = await musterProcess(["nats", "config", ...key], folder, settings);
  assert.doesNotMatch(stdout, /tls/);
  assert.match(stdout, /NATS_SERVER_NAME=nats-2 NATS_PORT=4302 NATS_CLUSTER_PORT=6302 /);
  await writeFile(join(folder, "near.conf"), stdout);
  const env = { NATS_SERVER_NAME: "nats-2", NATS_PORT: "4302", NATS_CLUSTER_PORT: "6302", NATS_STORE_DIR: folder };
  execFileSync(natsProgram!, ["-t", "-c", join(folder, "near.conf")], { env, stdio: "ignore" });
  const six = await musterProcess(["nats", "config", "--json"], folder, { MUSTER_NATS_URL: "nats://[::1]:4301" });
  const { configuration } = JSON.parse(six.stdout);
  assert.match(configuration, /^listen: "\[::1\]:4301"$/m);
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

  test("accepts a process with the nkey and the client certificate", async () => {
    const bus = createNatsBus(settings());
    await bus.start(receiver);
    assert.ok(bus.isConnected);
    await bus.stop();
  });

  test("refuses another nkey, and the start reports which setting is wrong", async () => {
    const other = file("other.nk");
    await config("--new-key", other);
    await assert.rejects(
      createNatsBus(settings({ credentialsFile: other })).start(receiver),
      /MUSTER_NATS_CREDENTIALS_FILE/,
    );
    await writeFile(file("none.nk"), "secret\n");
    await assert.rejects(
      createNatsBus(settings({ credentialsFile: file("none.nk") })).start(receiver),
      /contains neither a NATS user/,
    );
    await assert.rejects(createNatsBus(settings({ credentialsFile: "/nofile" })).start(receiver), {
      message: "MUSTER_NATS_CREDENTIALS_FILE (/nofile) cannot be read: there is no such file",
    });
  });

  test("is not used if its certificate is from another authority", async () => {
    makeCertificate(file("foreign.pem"), file("foreign-key.pem"));
    await assert.rejects(
      createNatsBus(settings({ caFile: file("foreign.pem") })).start(receiver),
      /MUSTER_NATS_URL.*self.signed/,
    );
  });

  test("stops the start if it is too old, or accepts too short messages", async () => {
    await assert.rejects(
      createNatsBus(settings({ versionFloor: "99.1" })).start(receiver),
      /has version .*needs 99.1 or later/,
    );
    await assert.rejects(
      createNatsBus(settings({ payloadBytes: 9_000_000 })).start(receiver),
      /set max_payload to 9000000/,
    );
  });

  test("whose user lacks permissions stops the start, which reports it", async () => {
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

  test("lets a process use the ingest stream and nothing else of JetStream if MUSTER_INGEST=stream is set", async () => {
    const publicKey = (await publicKeyOf(file("own.nk")))!;
    const given = {
      version: "1",
      servers: [],
      tls: true,
      credentialsFile: undefined,
      payloadBytes: 327_680,
      publicKey,
      verifyClients: true,
    };
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

  /** Returns the printed configuration for one server of this machine. */
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

/** Issues certificates for servers and clients under a new authority. */
function makeCertificate(certFile: string, keyFile: string): void {
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  execFileSync("openssl", ["req", ...kind, ...names, "-keyout", keyFile, "-out", certFile], { stdio: "ignore" });
}
