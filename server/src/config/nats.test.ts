import assert from "node:assert/strict";
import { test } from "node:test";
import { parseConfig } from "./config.ts";

const DATABASE = { MUSTER_DATABASE_URL: "postgres://user@localhost/muster" };
const CREDENTIALS = { MUSTER_NATS_CREDENTIALS_FILE: "/etc/muster/nats.nk" };

function nats(given: Record<string, string>) {
  return parseConfig({ ...DATABASE, ...given }).nats;
}

test("without MUSTER_NATS_URL there is no NATS, and the other NATS settings are refused", () => {
  assert.equal(nats({}), undefined);
  assert.throws(() => nats(CREDENTIALS), /MUSTER_NATS_CREDENTIALS_FILE requires MUSTER_NATS_URL/);
});

test("several servers are accepted with TLS, credentials and a client certificate", () => {
  const parsed = nats({
    MUSTER_NATS_URL: "tls://nats-1.example:4222, tls://nats-2.example",
    ...CREDENTIALS,
    MUSTER_NATS_CA_FILE: "/etc/muster/nats-ca.pem",
    MUSTER_NATS_CERT_FILE: "/etc/muster/nats.pem",
    MUSTER_NATS_KEY_FILE: "/etc/muster/nats-key.pem",
  })!;
  assert.deepEqual([parsed.servers, parsed.tls], [["nats-1.example:4222", "nats-2.example"], true]);
  assert.deepEqual([parsed.credentialsFile, parsed.versionFloor], ["/etc/muster/nats.nk", "2.10"]);
});

test("another machine needs encryption and credentials; this one does not", () => {
  for (const url of ["nats://localhost:4222", "nats://127.0.0.1", "nats://[::1]:4222"])
    assert.ok(nats({ MUSTER_NATS_URL: url }));
  assert.throws(
    () => nats({ MUSTER_NATS_URL: "nats://10.0.0.5:4222" }),
    /must begin with tls:\/\/[\s\S]*needs MUSTER_NATS_CRED/,
  );
  assert.throws(() => nats({ MUSTER_NATS_URL: "tls://nats.example" }), /needs MUSTER_NATS_CREDENTIALS_FILE/);
  assert.throws(() => nats({ MUSTER_NATS_URL: "tls://10.0.0.5", ...CREDENTIALS }), /host name/);
});

test("a user in the address is refused without being echoed, as are mixed schemes and other addresses", () => {
  assert.throws(
    () => nats({ MUSTER_NATS_URL: "tls://muster:s3cret@nats.example", ...CREDENTIALS }),
    (error: Error) => error.message.includes("MUSTER_NATS_CREDENTIALS_FILE") && !error.message.includes("s3cret"),
  );
  assert.throws(() => nats({ MUSTER_NATS_URL: "nats://localhost,tls://nats.example", ...CREDENTIALS }), /mixes/);
  for (const url of ["http://localhost", "nats://localhost/path", ","])
    assert.throws(() => nats({ MUSTER_NATS_URL: url }));
});

test("NATS needs a PostgreSQL that services share", () => {
  assert.throws(() => parseConfig({ MUSTER_NATS_URL: "nats://localhost" }), /needs MUSTER_DATABASE_URL/);
});
