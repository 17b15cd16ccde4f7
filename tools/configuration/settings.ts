/** The description of a setting in `docs/configuration.md`. */
export interface SettingText {
  meaning: string;
  /** The default in words, if the parsed default is missing or not informative. */
  unset?: string;
}

export interface SettingSection {
  title: string;
  settings: Readonly<Record<string, SettingText>>;
}

/** Every setting by section. A test compares the names with those that the service parses. */
export const SECTIONS: readonly SettingSection[] = [
  {
    title: "Data and processes",
    settings: {
      MUSTER_DATA_DIR: {
        meaning: "folder of the embedded database, master key, control socket, `tls/ca.pem` and `setup-link`",
      },
      MUSTER_WORKERS: {
        meaning:
          "processes that serve, 1 to 64, on Linux with PostgreSQL; `auto`: one per core ([worker processes](operations/install.md#several-worker-processes))",
      },
      MUSTER_LOG_LEVEL: {
        meaning: "`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`; JSON lines on standard output",
      },
      MUSTER_APP_DIR: { meaning: "folder of the built admin app", unset: "`admin/dist` of the installation" },
    },
  },
  {
    title: "Addresses",
    settings: {
      MUSTER_PUBLIC_HOST: { meaning: "host name or IP address in certificates and in addresses given to clients" },
      MUSTER_HTTP_HOST: { meaning: "listening address of HTTPS" },
      MUSTER_HTTP_PORT: { meaning: "port of HTTPS; 0 picks a free one" },
      MUSTER_MQTT_HOST: { meaning: "listening address of MQTT over TLS" },
      MUSTER_MQTT_PORT: { meaning: "port of MQTT over TLS; 0 picks a free one" },
      MUSTER_METRICS_HOST: { meaning: "listening address of the Prometheus metrics" },
      MUSTER_METRICS_PORT: { meaning: "port of the Prometheus metrics" },
      MUSTER_BASE_URL: {
        meaning: "the `https://` address given to clients and in links of mails",
        unset: "public host and HTTPS port",
      },
      MUSTER_BROKER_URL: { meaning: "the `mqtts://` address given to devices", unset: "public host and MQTT port" },
      MUSTER_MQTT_SERVER_REFERENCE: {
        meaning:
          "where MQTT 5 clients are sent when this process stops, such as `broker-2.example:8883`; several separated by spaces",
      },
    },
  },
  {
    title: "Database",
    settings: {
      MUSTER_DATABASE_URL: {
        meaning: "PostgreSQL 15 or later, `postgres://user:password@host/database`",
        unset: "unset: embedded",
      },
      MUSTER_DATABASE_DIRECT_URL: {
        meaning:
          "PostgreSQL itself, if `MUSTER_DATABASE_URL` leads through PgBouncer in transaction mode ([PgBouncer](scaling.md#many-nodes-and-pgbouncer))",
      },
      MUSTER_FORMER_DATABASE_URL: {
        meaning:
          "PostgreSQL before a recovery, for `muster reapply-revocations` only ([recover](operations/recover.md))",
      },
      MUSTER_EMBEDDED_SYNC: {
        meaning: "`off`: the embedded database does not wait for the disk, and a power cut may lose or damage it",
      },
      MUSTER_NODE_LEASE_SECONDS: {
        meaning:
          "6 to 60: how long a process keeps its MQTT sessions while PostgreSQL is away, minus a fifth ([lease](scaling.md#when-postgresql-is-away))",
      },
    },
  },
  {
    title: "Keys and certificates",
    settings: {
      MUSTER_MASTER_KEY: {
        meaning:
          "32 bytes in base64 (`openssl rand -base64 32`). Keep a copy: without it the certificate authorities are lost",
        unset: "made in the data folder",
      },
      MUSTER_MASTER_KEY_FILE: { meaning: "file with the master key, instead of `MUSTER_MASTER_KEY`" },
      MUSTER_MASTER_KEY_NEXT: {
        meaning:
          "the key that `muster master-key rotate` changes to, besides `MUSTER_MASTER_KEY` ([rotation](operations/secrets.md#the-master-key))",
      },
      MUSTER_TLS_CERT_FILE: {
        meaning: "publicly trusted HTTPS certificate with its chain, reloaded when it changes",
        unset: "unset: development certificate",
      },
      MUSTER_TLS_KEY_FILE: { meaning: "its private key; both or neither" },
    },
  },
  {
    title: "Proxies and other origins",
    settings: {
      MUSTER_TRUSTED_PROXIES: {
        meaning: "addresses and networks whose `X-Forwarded-For` is trusted ([proxies](proxies.md))",
      },
      MUSTER_TRUSTED_CLIENT_CERT_PROXIES: {
        meaning: "addresses and networks whose `Client-Cert` is trusted ([proxies](proxies.md))",
      },
      MUSTER_PROXY_PROTOCOL_FROM: {
        meaning:
          "load balancers that send the PROXY protocol, version 2 ([load balancers](proxies.md#tcp-load-balancers))",
      },
      MUSTER_CORS_ORIGINS: {
        meaning:
          "origins whose pages may read the public API ([other origins](operations/configure.md#pages-of-other-origins))",
      },
    },
  },
  {
    title: "Mail and webhooks",
    settings: {
      MUSTER_SMTP_URL: {
        meaning:
          "mail server, `smtps://user:password@mail.example` ([mail](operations/notifications.md#e-mail-and-webhooks))",
        unset: "unset: e-mails wait, and fail after a day",
      },
      MUSTER_MAIL_FROM: {
        meaning: "sender of mails, `Muster <muster@example.com>`",
        unset: "`muster@` the public host",
      },
      MUSTER_OIDC_ALLOW_PRIVATE: { meaning: "`true` allows identity providers in private networks" },
      MUSTER_WEBHOOK_ALLOW_PRIVATE: { meaning: "`true` allows webhooks to private networks and this machine" },
    },
  },
  {
    title: "Several machines",
    settings: {
      MUSTER_NATS_URL: {
        meaning:
          "NATS servers that connect services on several machines, comma-separated ([several machines](scaling.md#setting-it-up))",
      },
      MUSTER_NATS_CREDENTIALS_FILE: { meaning: "seed of the nkey, or a `.creds` file" },
      MUSTER_NATS_CA_FILE: { meaning: "authority of the servers' certificates", unset: "those that Node trusts" },
      MUSTER_NATS_CERT_FILE: { meaning: "client certificate for NATS, if the servers demand one" },
      MUSTER_NATS_KEY_FILE: { meaning: "its private key; both or neither" },
      MUSTER_INGEST: {
        meaning: "`stream`: messages are acknowledged once NATS JetStream has them ([ingest stream](ingest-stream.md))",
      },
      MUSTER_NATS_REPLICAS: {
        meaning: "servers that have each message: 1, 3 or 5",
        unset: "3 with three servers or more, else 1",
      },
      MUSTER_NATS_STREAM_BYTES: { meaning: "size of the ingest stream" },
      MUSTER_STREAM_SESSION_SECONDS: {
        meaning: "0 to 3600: how long sessions are kept while PostgreSQL answers no process",
      },
    },
  },
  {
    title: "Frequent limits",
    settings: {
      MUSTER_DEVICE_REQUESTS_PER_MINUTE: {
        meaning: "requests of one address at the device-facing endpoints; 0: no limit",
      },
      MUSTER_MQTT_MESSAGES_PER_SECOND: { meaning: "messages of one MQTT client; faster ones wait; 0: no limit" },
    },
  },
];
