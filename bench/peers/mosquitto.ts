import { Skip } from "../../load/measure.ts";
import { freePort } from "../../load/processes.ts";
import { type BrokerFiles, firstProgram, startPeerBroker } from "./broker.ts";

/** Mosquitto that requires client certificates and allows each device its own topic, as our broker does. */
export type Mosquitto = Awaited<ReturnType<typeof startMosquitto>>;

/** @throws {@link Skip} where Mosquitto is missing */
export async function startMosquitto() {
  const program = firstProgram(["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "mosquitto"]);
  if (program === undefined) throw new Skip("Mosquitto is not installed");
  /** A listener on loopback without TLS, for the storing subscriber. */
  const plainPort = await freePort();
  const broker = await startPeerBroker("Mosquitto", (files) => [program, "-c", configuration(files, plainPort)]);
  return { ...broker, plainPort };
}

function configuration(files: BrokerFiles, plainPort: number): string {
  return files.write(
    "mosquitto.conf",
    `per_listener_settings true
user root
persistence false
log_type none
max_queued_messages 0
max_inflight_messages 10000
listener ${files.port} 127.0.0.1
cafile ${files.deviceRoots}
certfile ${files.serverCertificate}
keyfile ${files.serverKey}
require_certificate true
use_identity_as_username true
allow_anonymous false
acl_file ${files.write("acl", "pattern write t/bench/telemetry/%c\n")}
listener ${plainPort} 127.0.0.1
allow_anonymous true
`,
  );
}
