import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newPeerCertificates, type PeerCertificates } from "../../load/certificates.ts";
import { type Meter, until } from "../../load/measure.ts";
import type { Identity, MqttTarget } from "../../load/mqtt-client.ts";
import { end, freePort, meterOf } from "../../load/processes.ts";

/** Another broker that requires client certificates of the shape of ours. */
export interface PeerBroker {
  readonly name: string;
  readonly pid: number;
  readonly meter: Meter;
  readonly target: MqttTarget;
  newIdentities(count: number): Promise<Identity[]>;
  stop(): Promise<void>;
}

/** The files that a broker is started with. */
export interface BrokerFiles {
  readonly port: number;
  readonly serverCertificate: string;
  readonly serverKey: string;
  readonly deviceRoots: string;
  /** Writes another file. @returns its path */
  write(name: string, text: string): string;
}

/** Starts a broker and waits until it listens. @param command returns the program and its arguments */
export async function startPeerBroker(
  name: string,
  command: (files: BrokerFiles) => readonly string[],
): Promise<PeerBroker> {
  const certificates: PeerCertificates = newPeerCertificates();
  const folder = mkdtempSync(join(tmpdir(), `muster-bench-${name.toLowerCase()}-`));
  const write = (file: string, text: string): string => {
    writeFileSync(join(folder, file), text);
    return join(folder, file);
  };
  const port = await freePort();
  const [program, ...args] = command({
    port,
    serverCertificate: write("server.pem", certificates.server.cert),
    serverKey: write("server-key.pem", certificates.server.key),
    deviceRoots: write("roots.pem", certificates.deviceRootPem),
    write,
  });
  // 1,000 sessions exceed the usual limit of open files.
  const shell = ["-c", 'ulimit -n 8192; exec "$0" "$@"', program!, ...args];
  const child = spawn("sh", shell, { cwd: folder, stdio: "ignore" });
  const stop = async () => {
    await end(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await until(name, 10, () => accepts(port));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    name,
    pid: child.pid!,
    meter: meterOf(child.pid!),
    target: { port, ca: certificates.serverRootPem },
    newIdentities: certificates.newIdentities,
    stop,
  };
}

/** Returns the first of the paths that is a program. */
export function firstProgram(paths: readonly string[]): string | undefined {
  return paths.find((path) => spawnSync(path, ["-h"]).error === undefined);
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
