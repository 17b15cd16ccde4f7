import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newPeerCertificates, type PeerCertificates } from "../../load/certificates.ts";
import { Skip, until } from "../../load/measure.ts";
import { end, freePort, meterOf } from "../../load/processes.ts";

/** Mosquitto that requires client certificates and allows each device its own topic, as our broker does. */
export type Mosquitto = Awaited<ReturnType<typeof startMosquitto>>;

/** @throws {@link Skip} where Mosquitto is missing */
export async function startMosquitto() {
  const program = ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "mosquitto"].find(
    (path) => spawnSync(path, ["-h"]).error === undefined,
  );
  if (program === undefined) throw new Skip("Mosquitto is not installed");
  const certificates = newPeerCertificates();
  const folder = mkdtempSync(join(tmpdir(), "muster-bench-mosquitto-"));
  const [tlsPort, plainPort] = [await freePort(), await freePort()];
  writeConfiguration(folder, { tlsPort, plainPort }, certificates);
  // 1,000 sessions exceed the usual limit of open files.
  const command = `ulimit -n 8192; exec ${program} -c ${join(folder, "mosquitto.conf")}`;
  const child = spawn("sh", ["-c", command], { cwd: folder, stdio: "ignore" });
  await until("Mosquitto", 10, () => accepts(tlsPort));
  return {
    pid: child.pid!,
    meter: meterOf(child.pid!),
    target: { port: tlsPort, ca: certificates.serverRootPem },
    /** A listener on loopback without TLS, for the storing subscriber. */
    plainPort,
    newIdentities: certificates.newIdentities,
    stop: async () => {
      await end(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function writeConfiguration(
  folder: string,
  { tlsPort, plainPort }: { tlsPort: number; plainPort: number },
  certificates: PeerCertificates,
): void {
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  file(
    "mosquitto.conf",
    `per_listener_settings true
user root
persistence false
log_type none
max_queued_messages 0
max_inflight_messages 10000
listener ${tlsPort} 127.0.0.1
cafile ${file("roots.pem", certificates.deviceRootPem)}
certfile ${file("server.pem", certificates.server.cert)}
keyfile ${file("server-key.pem", certificates.server.key)}
require_certificate true
use_identity_as_username true
allow_anonymous false
acl_file ${file("acl", "pattern write t/bench/telemetry/%c\n")}
listener ${plainPort} 127.0.0.1
allow_anonymous true
`,
  );
}

function accepts(port: number): Promise<true | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(undefined));
  });
}
