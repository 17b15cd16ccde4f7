import { certificatePem, decryptPrivateKey, fileSigner, type Signer } from "../pki/pki.ts";
import type { AuthorityRow } from "./authority-store.ts";
import { activeOf } from "./generations.ts";

/** A server's certificate and key, PEM, as `tls.createServer` takes them. */
export interface ServerTls {
  readonly cert: string;
  readonly key: string;
}

/** The signer together with the chain its leaves are handed out with (PEM, intermediate only). */
export interface Issuer {
  readonly signer: Signer;
  readonly chainPem: string;
}

/** All that is read from the hierarchy while serving, ready to use; replaced as a whole by the next one. */
export interface LiveSet {
  readonly issuer: Issuer;
  readonly deviceRoots: readonly Buffer[];
  readonly deviceRootsPem: string;
  readonly intermediates: readonly Buffer[];
  readonly serverCaBundlePem: string;
  readonly brokerTls: ServerTls;
  readonly httpsTls: ServerTls;
  /** Equal for two sets exactly when they are the same. */
  readonly version: string;
}

export function isLive({ status }: AuthorityRow): boolean {
  return status !== "retired";
}

/**
 * @param live every generation that is live, oldest first
 * @throws MusterError `wrong_master_key`, `issuance_failed` where key and certificate do not belong together
 */
export function liveSet(live: readonly AuthorityRow[], masterKey: Buffer): LiveSet {
  const active = (role: AuthorityRow["role"]) => activeOf({ rows: live }, role);
  const of = (role: AuthorityRow["role"]) => newestFirst(live.filter((row) => row.role === role));
  const intermediate = active("device_intermediate");
  const deviceRoots = of("device_root").map((row) => row.certificate_der);
  return {
    issuer: {
      signer: fileSigner(intermediate.certificate_der, decryptPrivateKey(keyOf(intermediate), masterKey)),
      chainPem: certificatePem(intermediate.certificate_der),
    },
    deviceRoots,
    deviceRootsPem: deviceRoots.map(certificatePem).join(""),
    intermediates: of("device_intermediate").map((row) => row.certificate_der),
    serverCaBundlePem: of("server_root")
      .map((row) => certificatePem(row.certificate_der))
      .join(""),
    brokerTls: serverTls(active("broker_server"), masterKey),
    httpsTls: serverTls(active("https_server"), masterKey),
    version: versionOf(live),
  };
}

/** The version of the {@link LiveSet} of these rows, without opening a key. */
export function versionOf(live: readonly AuthorityRow[]): string {
  return live.map(({ id, status }) => `${id} ${status}`).join("\n");
}

function newestFirst(rows: readonly AuthorityRow[]): AuthorityRow[] {
  return rows.toReversed();
}

/** The leaf alone: clients hold the root it hangs under directly. */
function serverTls(row: AuthorityRow, masterKey: Buffer): ServerTls {
  const key = decryptPrivateKey(keyOf(row), masterKey).export({ format: "pem", type: "pkcs8" }).toString();
  return { cert: certificatePem(row.certificate_der), key };
}

function keyOf(row: AuthorityRow): string {
  if (row.private_key_pem === null) throw new Error(`${row.name} is in use but has no private key`);
  return row.private_key_pem;
}
