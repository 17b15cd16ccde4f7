import type { NatsServers } from "../../config/nats.ts";
import { INGEST_STREAM } from "../../lib/nats/stream-settings.ts";
import { type Layout, layoutOf } from "./layout.ts";

/** The contents of a NATS server configuration for Muster. */
export interface NatsConfiguration extends NatsServers {
  version: string;
  /** The public key of the nkey with which Muster signs in; `undefined` if unknown. */
  publicKey: string | undefined;
}

/** The storage of a server relative to the stream: space of deleted messages is freed later. */
const STORAGE_FACTOR = 1.25;
/** The JetStream requests that Muster makes for its stream. */
const REQUESTS = ["CREATE", "UPDATE", "INFO", "PURGE", "MSG.GET"];

/** The default maximum message length of NATS. */
const DEFAULT_PAYLOAD_BYTES = 1024 * 1024;

/** Returns the configuration file of every NATS server, and the Muster settings that belong to it. */
export function natsConfiguration(given: NatsConfiguration): string {
  const { version, payloadBytes, streamBytes, tls } = given;
  const layout = layoutOf(given.servers);
  return `# NATS servers for Muster ${version}: this file (nats.conf) on each of them. Start:
${layout.starts.map((start) => `#   ${start} nats-server --config nats.conf`).join("\n")}
server_name: $NATS_SERVER_NAME
${layout.listen}

# Muster refuses a server that takes less than ${payloadBytes} bytes.
max_payload: ${Math.max(payloadBytes, DEFAULT_PAYLOAD_BYTES)}
max_pending: ${64 * 1024 * 1024}
# A client that does not answer is noticed after three of these.
ping_interval: "5s"
write_deadline: "10s"

${tls ? clientTls(given.verifyClients) : ""}${streamBytes === undefined ? "" : jetStream(streamBytes, layout)}${accounts(given)}${cluster(layout, tls)}
${settings(given, layout)}`;
}

function clientTls(verify: boolean): string {
  return `# With verify, clients also need a certificate: set MUSTER_NATS_CERT_FILE and MUSTER_NATS_KEY_FILE before you print this.
tls {
${certificate("  ", verify)}
}

`;
}

function certificate(indent: string, verify: boolean): string {
  return [
    'cert_file: "/etc/nats/tls/server.pem"',
    'key_file: "/etc/nats/tls/server-key.pem"',
    'ca_file: "/etc/nats/tls/ca.pem"',
    `verify: ${verify}`,
  ]
    .map((line) => indent + line)
    .join("\n");
}

function jetStream(streamBytes: number, { storeFolder }: Layout): string {
  return `# The ingest stream (MUSTER_INGEST=stream): each server needs this many bytes on its disk.
jetstream {
  store_dir: ${storeFolder}
  max_mem: 64MB
  max_file: ${Math.ceil(streamBytes * STORAGE_FACTOR)}
  # By default a server writes to its disk every two minutes, so acknowledged messages are lost if all servers lose power. Muster cannot check this over the network.
  sync_interval: always
}

`;
}

function accounts({
  publicKey = "<public key of Muster's nkey, which begins with U>",
  streamBytes,
}: NatsConfiguration) {
  const hasStream = streamBytes !== undefined;
  const requests = REQUESTS.map((verb) => `"$JS.API.STREAM.${verb}.${INGEST_STREAM}"`);
  const publish = ['"muster.>"', ...(hasStream ? requests : [])].join(", ");
  return `# No other user may use Muster's subjects: a publisher there can send messages to any tenant.
accounts {
  MUSTER {${hasStream ? "\n    jetstream: enabled" : ""}
    users = [
      { nkey: "${publicKey}", permissions: { publish: [${publish}], subscribe: ["muster.>"] } }
    ]
  }
}
`;
}

/** Returns the cluster section; a single server needs none. */
function cluster({ routes, clusterListen }: Layout, tls: boolean): string {
  if (routes.length < 2) return "";
  return `
cluster {
  name: muster
  ${clusterListen}
  routes: [
${routes.map((route) => `    "nats-route://${route}"`).join("\n")}
  ]${tls ? `\n  tls {\n${certificate("    ", true)}\n  }` : ""}
}
`;
}

function settings(given: NatsConfiguration, { addresses }: Layout): string {
  const {
    tls,
    verifyClients,
    streamBytes,
    credentialsFile = "<file with the seed of the nkey, which begins with SU>",
  } = given;
  const scheme = tls ? "tls" : "nats";
  return [
    "Muster's settings, on every machine:",
    `  MUSTER_NATS_URL=${addresses.map((address) => `${scheme}://${address}`).join(",")}`,
    `  MUSTER_NATS_CREDENTIALS_FILE=${credentialsFile}`,
    ...(tls ? ["  MUSTER_NATS_CA_FILE=<ca.pem>"] : []),
    ...(verifyClients ? ["  MUSTER_NATS_CERT_FILE=<client.pem>", "  MUSTER_NATS_KEY_FILE=<client-key.pem>"] : []),
    ...(streamBytes === undefined ? [] : ["  MUSTER_INGEST=stream", `  MUSTER_NATS_STREAM_BYTES=${streamBytes}`]),
  ]
    .map((line) => `# ${line}\n`)
    .join("");
}
