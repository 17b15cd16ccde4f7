import { type BrokerFiles, type PeerBroker, startPeerBroker } from "./broker.ts";
import { buildOnce } from "./build-once.ts";

/** Built without its lock file, whose `metrics` a present compiler refuses. */
const VERSION = "0.20.0";

/** Starts rumqttd, a broker in Rust, built to verify its clients. @throws {@link Skip} without Cargo */
export async function startRumqttd(): Promise<PeerBroker> {
  const program = buildOnce({
    program: "rumqttd",
    version: VERSION,
    builder: "cargo",
    command: (folder) => ({
      args: ["install", "rumqttd", "--version", VERSION, "--features", "verify-client-cert", "--root", folder],
    }),
  });
  return await startPeerBroker("rumqttd", (files) => [program, "-c", configuration(files), "-q"]);
}

function configuration(files: BrokerFiles): string {
  return files.write(
    "rumqttd.toml",
    `id = 0
[router]
id = 0
max_connections = 10010
max_outgoing_packet_count = 200
max_segment_size = 104857600
max_segment_count = 10
[v4.1]
name = "tls"
listen = "127.0.0.1:${files.port}"
next_connection_delay_ms = 0
[v4.1.tls]
capath = "${files.deviceRoots}"
certpath = "${files.serverCertificate}"
keypath = "${files.serverKey}"
[v4.1.connections]
connection_timeout_ms = 60000
max_payload_size = 262144
max_inflight_count = 100
dynamic_filters = true
`,
  );
}
