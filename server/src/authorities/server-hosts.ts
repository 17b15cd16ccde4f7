import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";

/** What our servers' certificates are good for: the public name, and this machine by its own names. */
export function serverHosts(publicHost: string): string[] {
  return [...new Set([publicHost, "localhost", "127.0.0.1", "::1"])];
}

/** Those of `hosts` that a client would refuse this certificate for. */
export function uncoveredHosts(certificateDer: Buffer, hosts: readonly string[]): string[] {
  const certificate = new X509Certificate(certificateDer);
  return hosts.filter((host) => {
    const matched = isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host, { subject: "never" });
    return matched === undefined;
  });
}

/** The names and addresses a certificate of ours was made for. */
export function hostsOf(certificateDer: Buffer): string[] {
  const names = new X509Certificate(certificateDer).subjectAltName ?? "";
  return names.split(", ").flatMap((name) => /^(?:DNS|IP Address):(.+)$/.exec(name)?.[1] ?? []);
}
