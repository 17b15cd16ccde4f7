import { join } from "node:path";
import { type PeerBroker, startPeerBroker } from "./broker.ts";
import { buildOnce } from "./build-once.ts";

const VERSION = "2.7.9";

/** Starts mochi, a broker in Go, which `mochi-broker/main.go` configures. @throws {@link Skip} without Go */
export async function startMochi(): Promise<PeerBroker> {
  const program = buildOnce({
    program: "mochi-broker",
    version: VERSION,
    builder: "go",
    command: (folder) => ({
      args: ["build", "-trimpath", "-buildvcs=false", "-o", join(folder, "bin/mochi-broker"), "."],
      env: { CGO_ENABLED: "0" },
    }),
    sources: join(import.meta.dirname, "mochi-broker"),
  });
  return await startPeerBroker("mochi", ({ port, serverCertificate, serverKey, deviceRoots }) => [
    program,
    String(port),
    serverCertificate,
    serverKey,
    deviceRoots,
  ]);
}
