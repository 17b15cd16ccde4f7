import { INGEST_STREAM } from "../../lib/nats/stream-settings.ts";

/** What a configuration of NATS servers for Muster says. */
export interface NatsConfiguration {
  version: string;
  /** Of the servers, for their routes to each other. */
  hosts: readonly string[];
  /** Bytes of the longest message that a server must take. */
  payloadBytes: number;
  /** Of the nkey with which Muster signs in; undefined where it is not known. */
  publicKey: string | undefined;
  /** Whether the servers demand a certificate of their clients. */
  verifyClients: boolean;
  /** Bytes of the ingest stream; undefined where none is used. */
  streamBytes: number | undefined;
}

/** What a server may store, beside the stream: what is deleted is freed later. */
const STORAGE_FACTOR = 1.25;
/** What Muster asks of JetStream about its stream. */
const REQUESTS = ["CREATE", "UPDATE", "INFO", "PURGE", "MSG.GET"];

/** What the longest message of NATS is where it is not set. */
const DEFAULT_PAYLOAD_BYTES = 1024 * 1024;
const EXAMPLE_HOSTS = ["nats-1.example", "nats-2.example", "nats-3.example"];

/** The configuration file of every NATS server, and the settings of Muster that belong to it. */
export function natsConfiguration(given: NatsConfiguration): string {
  const {
    version,
    payloadBytes,
    publicKey = "<public key of Muster's nkey, which begins with U>",
    verifyClients,
    streamBytes,
  } = given;
  const requests = REQUESTS.map((verb) => `"$JS.API.STREAM.${verb}.${INGEST_STREAM}"`);
  const publish = ['"muster.>"', ...(streamBytes === undefined ? [] : requests)].join(", ");
  const hosts = given.hosts.length > 0 ? given.hosts : EXAMPLE_HOSTS;
  return `# NATS servers for Muster ${version}: this file on each of them, with the name of the server in NATS_SERVER_NAME.
server_name: $NATS_SERVER_NAME
listen: 0.0.0.0:4222

# Muster refuses a server that takes less than ${payloadBytes} bytes.
max_payload: ${Math.max(payloadBytes, DEFAULT_PAYLOAD_BYTES)}
max_pending: ${64 * 1024 * 1024}
# A client that does not answer is noticed after three of these.
ping_interval: "5s"
write_deadline: "10s"

tls {
  cert_file: "/etc/nats/tls/server.pem"
  key_file: "/etc/nats/tls/server-key.pem"
  ca_file: "/etc/nats/tls/ca.pem"
  verify: ${verifyClients}
}

${streamBytes === undefined ? "" : jetStream(streamBytes)}# No other user may use Muster's subjects: who publishes there sends messages to any tenant.
accounts {
  MUSTER {${streamBytes === undefined ? "" : "\n    jetstream: enabled"}
    users = [
      { nkey: "${publicKey}", permissions: { publish: [${publish}], subscribe: ["muster.>"] } }
    ]
  }
}

cluster {
  name: muster
  listen: 0.0.0.0:6222
  routes: [
${hosts.map((host) => `    "nats-route://${host}:6222"`).join("\n")}
  ]
  tls {
    cert_file: "/etc/nats/tls/server.pem"
    key_file: "/etc/nats/tls/server-key.pem"
    ca_file: "/etc/nats/tls/ca.pem"
    verify: true
  }
}

# Settings of Muster:
#   MUSTER_NATS_URL=${hosts.map((host) => `tls://${host}:4222`).join(",")}
#   MUSTER_NATS_CREDENTIALS_FILE=<file with the seed of the nkey, which begins with SU>
#   MUSTER_NATS_CA_FILE=<ca.pem>${verifyClients ? "\n#   MUSTER_NATS_CERT_FILE=<client.pem>\n#   MUSTER_NATS_KEY_FILE=<client-key.pem>" : ""}
`;
}

function jetStream(streamBytes: number): string {
  return `# The ingest stream (MUSTER_INGEST=stream).
jetstream {
  store_dir: "/var/lib/nats"
  max_mem: 64MB
  max_file: ${Math.ceil(streamBytes * STORAGE_FACTOR)}
  # Otherwise a server writes to its disk every two minutes: what was acknowledged is lost when all lose power. Muster cannot check this over the network.
  sync_interval: always
}

`;
}
