import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";

/** Returns the hosts of the server certificates: the public host, and the names of the local machine. */
export function serverHosts(publicHost: string): string[] {
  return [...new Set([publicHost, "localhost", "127.0.0.1", "::1"])];
}

/** Returns the `hosts` for which a client would refuse this certificate. */
export function uncoveredHosts(certificateDer: Buffer, hosts: readonly string[]): string[] {
  const certificate = new X509Certificate(certificateDer);
  return hosts.filter((host) => {
    const matched = isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host, { subject: "never" });
    return matched === undefined;
  });
}

/** Returns the names and addresses that a server certificate of this installation contains. */
export function hostsOf(certificateDer: Buffer): string[] {
  const names = new X509Certificate(certificateDer).subjectAltName ?? "";
  return names.split(", ").flatMap((name) => /^(?:DNS|IP Address):(.+)$/.exec(name)?.[1] ?? []);
}
