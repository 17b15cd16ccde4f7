import type { ClientIssuers } from "../lib/sockets/mutual-tls.ts";
import { certificatePem, fileSigner, nameCarrier, type Signer } from "../pki/pki.ts";
import type { AuthorityRow, StoredHierarchy } from "./authority-store.ts";
import { type DerivedKeys, loadDerivedKeys } from "./derived-keys.ts";
import { activeOf } from "./locked-hierarchy.ts";
import { openAuthorityKey } from "./seals.ts";

/** The certificate and key of a server, PEM, as `tls.createServer` takes them. */
export interface ServerTls {
  readonly cert: string;
  readonly key: string;
}

/** The signer, and the chain that devices receive with its leaves (PEM, the intermediate alone). */
export interface Issuer {
  readonly signer: Signer;
  readonly chainPem: string;
}

/** One state of the hierarchy with its keys decrypted, ready to serve. A change replaces it as a whole. */
export interface LoadedAuthorities {
  readonly issuer: Issuer;
  readonly deviceRoots: readonly Buffer[];
  readonly intermediates: readonly Buffer[];
  readonly clientIssuers: ClientIssuers;
  readonly serverCaBundlePem: string;
  readonly brokerTls: ServerTls;
  readonly httpsTls: ServerTls;
}

/** The state that a process serves from: the hierarchy, and the keys derived from the master key. */
export interface LoadedState extends LoadedAuthorities {
  readonly keys: DerivedKeys;
  /** A text that is equal for two states exactly when they are the same. */
  readonly version: string;
}

/** @throws MusterError sealed_value_changed; issuance_failed if key and certificate do not belong together */
export function loadState(stored: StoredHierarchy, masterKey: Buffer): LoadedState {
  const keys = loadDerivedKeys(masterKey, stored.retiredKeys);
  return { ...loadAuthorities(stored.rows, masterKey), keys, version: versionOf(stored) };
}

/** Returns whether the generation is upcoming, active or retiring. */
export function isInUse({ status }: AuthorityRow): boolean {
  return status !== "retired";
}

/**
 * @param rows every generation in use, oldest first
 * @throws MusterError sealed_value_changed; issuance_failed if key and certificate do not belong together
 */
export function loadAuthorities(rows: readonly AuthorityRow[], masterKey: Buffer): LoadedAuthorities {
  const active = (role: AuthorityRow["role"]) => activeOf({ rows }, role);
  const of = (role: AuthorityRow["role"]) => newestFirst(rows.filter((row) => row.role === role));
  const intermediate = active("device_intermediate");
  const deviceRoots = of("device_root").map((row) => row.certificate_der);
  const intermediates = of("device_intermediate").map((row) => row.certificate_der);
  return {
    issuer: {
      signer: fileSigner(intermediate.certificate_der, openAuthorityKey(intermediate, masterKey)),
      chainPem: certificatePem(intermediate.certificate_der),
    },
    deviceRoots,
    intermediates,
    clientIssuers: {
      deviceRoots: deviceRoots.map(certificatePem).join(""),
      issuerNames: intermediates.map(nameCarrier).join(""),
    },
    serverCaBundlePem: of("server_root")
      .map((row) => certificatePem(row.certificate_der))
      .join(""),
    brokerTls: serverTls(active("broker_server"), masterKey),
    httpsTls: serverTls(active("https_server"), masterKey),
  };
}

/** Returns the version of the {@link LoadedState} of a stored hierarchy, without decrypting a key. */
export function versionOf({ rows, check }: StoredHierarchy): string {
  return [check, ...rows.map(({ id, status }) => `${id} ${status}`)].join("\n");
}

function newestFirst(rows: readonly AuthorityRow[]): AuthorityRow[] {
  return rows.toReversed();
}

/** Returns the certificate without a chain: clients have the root that signed it. */
function serverTls(row: AuthorityRow, masterKey: Buffer): ServerTls {
  const key = openAuthorityKey(row, masterKey).export({ format: "pem", type: "pkcs8" }).toString();
  return { cert: certificatePem(row.certificate_der), key };
}
