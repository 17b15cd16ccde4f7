import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError, parseConfig } from "./config.ts";

test("an empty environment gives the defaults of the README", () => {
  const config = parseConfig({});
  assert.deepEqual(
    [config.http, config.mqtt, config.metrics.port, config.publicHost, config.logLevel],
    [{ host: "0.0.0.0", port: 8443 }, { host: "0.0.0.0", port: 8883 }, 9464, "localhost", "info"],
  );
  assert.deepEqual(
    [config.databaseUrl, config.operatorTls, config.masterKey],
    [undefined, undefined, { from: "data-folder" }],
  );
});

test("all problems are reported together, each naming its variable", () => {
  const wrong = {
    MUSTER_HTTP_PORT: "http",
    MUSTER_MQTT_PORT: "70000",
    MUSTER_DATABASE_URL: "mysql://localhost/x",
    MUSTER_MASTER_KEY: "c2hvcnQ=",
    MUSTER_MASTER_KEY_FILE: "/etc/muster.key",
    MUSTER_TLS_CERT_FILE: "cert.pem",
    MUSTER_LOG_LEVEL: "loud",
  };
  assert.throws(
    () => parseConfig(wrong),
    (error: ConfigError) => {
      assert.ok(error instanceof ConfigError);
      for (const name of Object.keys(wrong)) assert.ok(error.message.includes(name), `${name} is not named`);
      assert.ok(!error.message.includes("c2hvcnQ="), "a secret is repeated");
      return true;
    },
  );
});

test("an empty variable counts as unset", () => {
  assert.equal(parseConfig({ MUSTER_HTTP_PORT: "", MUSTER_DATABASE_URL: "" }).http.port, 8443);
});

test("a limit of 0 means no limit", () => {
  const { deviceRequestsPerMinute, mqttMessagesPerSecond } = parseConfig({}).limits;
  assert.deepEqual([deviceRequestsPerMinute, mqttMessagesPerSecond], [1_500, 100]);
  assert.equal(
    parseConfig({ MUSTER_MQTT_MESSAGES_PER_SECOND: "0" }).limits.mqttMessagesPerSecond,
    Number.POSITIVE_INFINITY,
  );
});

test("a limit of docs/limits.md is at least 1, and has its default if it is not set", () => {
  const limitsOf = (text?: string) => parseConfig({ MUSTER_LIMIT_READINGS_PER_MESSAGE: text }).limits;
  assert.deepEqual([limitsOf().readingsPerMessage, limitsOf("20").readingsPerMessage], [1_000, 20]);
  assert.throws(() => limitsOf("0"), /MUSTER_LIMIT_READINGS_PER_MESSAGE must be at least 1/);
});

test("a server reference is a list of addresses, IPv6 in brackets", () => {
  const referenceOf = (text?: string) => parseConfig({ MUSTER_MQTT_SERVER_REFERENCE: text }).mqtt.serverReference;
  assert.equal(referenceOf(), undefined);
  for (const good of ["broker-2.example:8883", "10.0.0.2", "[2001:db8::1]:8883 broker-3.example"]) {
    assert.equal(referenceOf(good), good);
  }
  for (const wrong of ["mqtts://broker", "a,b", "2001:db8::1", " broker", "broker:port"]) {
    assert.throws(() => referenceOf(wrong), /MUSTER_MQTT_SERVER_REFERENCE must be addresses/, wrong);
  }
});

test("an unknown name is reported and does not prevent startup", () => {
  assert.deepEqual(parseConfig({ MUSTER_HTPT_PORT: "1" }).unknownNames, ["MUSTER_HTPT_PORT"]);
});

test("a proxy trusted for X-Forwarded-For is not trusted for client certificates, nor the reverse", () => {
  const forAddresses = parseConfig({ MUSTER_TRUSTED_PROXIES: "10.0.0.0/8" });
  assert.deepEqual([forAddresses.trustedProxies.length, forAddresses.trustedClientCertProxies.length], [1, 0]);
  const forCertificates = parseConfig({ MUSTER_TRUSTED_CLIENT_CERT_PROXIES: "10.0.0.7" });
  assert.deepEqual([forCertificates.trustedProxies.length, forCertificates.trustedClientCertProxies.length], [0, 1]);
});

test("a trusted proxy is an address or a range; any other entry is refused and named", () => {
  const proxies = (text: string) => parseConfig({ MUSTER_TRUSTED_PROXIES: text }).trustedProxies;
  assert.deepEqual(parseConfig({}).trustedProxies, []);
  assert.equal(proxies("10.0.0.0/8, 192.0.2.7,fd00::/8").length, 3);
  for (const wrong of ["proxy.example", "10.0.0.0/33", "10.0.0.0/x", "10.0.0.0/8/8", "fd00::/129", "*"])
    assert.throws(
      () => proxies(`10.0.0.0/8, ${wrong}`),
      (error: ConfigError) => error.message.includes(`MUSTER_TRUSTED_PROXIES has ${wrong}, `),
      wrong,
    );
});

test("CORS origins are exact; * is refused", () => {
  const origins = (text: string) => parseConfig({ MUSTER_CORS_ORIGINS: text }).corsOrigins;
  assert.deepEqual(parseConfig({}).corsOrigins, []);
  assert.deepEqual(origins("https://console.example, http://localhost:5173,"), [
    "https://console.example",
    "http://localhost:5173",
  ]);
  for (const wrong of [
    "*",
    "null",
    "console.example",
    "https://a.example/",
    "https://A.example",
    "https://*.example",
  ]) {
    assert.throws(() => origins(`https://console.example,${wrong}`), /MUSTER_CORS_ORIGINS (must|has) /, wrong);
  }
});

test("the address of the mail server is a secret, the sender has a default, and webhooks go to public addresses only", () => {
  const SMTP = "smtps://u:hunter2@mail.example";
  assert.deepEqual([parseConfig({}).smtp, parseConfig({}).allowPrivateWebhooks], [undefined, false]);
  const config = parseConfig({ MUSTER_SMTP_URL: SMTP, MUSTER_PUBLIC_HOST: "muster.example" });
  assert.deepEqual([config.smtp!.url.reveal(), config.smtp!.from], [SMTP, "Muster <muster@muster.example>"]);
  assert.ok(!JSON.stringify(config).includes("hunter2"));
  const from = (text: string) => parseConfig({ MUSTER_SMTP_URL: SMTP, MUSTER_MAIL_FROM: text }).smtp!.from;
  for (const good of ["a@b.example", "Plant 1 <a@b.example>"]) assert.equal(from(good), good);
  for (const bad of ["a", "a@b\r\nBcc: c@d", "A <a@b", "A\nB <a@b>", "a@b, c@d"])
    assert.throws(() => from(bad), /MUSTER_MAIL_FROM/, bad);
  assert.throws(() => parseConfig({ MUSTER_SMTP_URL: "https://mail.example" }), /MUSTER_SMTP_URL/);
  assert.throws(() => parseConfig({ MUSTER_WEBHOOK_ALLOW_PRIVATE: "yes" }), /MUSTER_WEBHOOK_ALLOW_PRIVATE/);
  assert.equal(parseConfig({ MUSTER_WEBHOOK_ALLOW_PRIVATE: "true" }).allowPrivateWebhooks, true);
});

test("a printed configuration shows no secrets", () => {
  const config = parseConfig({
    MUSTER_DATABASE_URL: "postgres://u:hunter2@localhost/m",
    MUSTER_MASTER_KEY: Buffer.alloc(32, 1).toString("base64"),
  });
  assert.ok(!JSON.stringify(config).includes("hunter2"));
  assert.ok(!JSON.stringify(config).includes(Buffer.alloc(32, 1).toString("base64")));
});
