/**
 * Which roots, intermediates and server certificates are live. Rows in the database are the truth, each process keeps a
 * copy that follows them; changes are made by one process at a time and leave every certificate in use valid.
 */
import type { Signer } from "../pki/pki.ts";
import { type AuthoritiesDeps, type ChangeKind, createKeeper } from "./keeper.ts";
import type { Issuer, ServerTls } from "./live-set.ts";
import type { AuthorityStatus } from "./status.ts";
import { verifiedBy } from "./verified-by.ts";

export type { AuthoritiesDeps } from "./keeper.ts";
export type { Issuer, ServerTls } from "./live-set.ts";
export type { AuthorityStatus } from "./status.ts";

export interface Authorities {
  /** The signer and the chain of what it signs, of one moment: use this where a leaf is issued and handed out. */
  issuer(): Issuer;
  signer(): Signer;
  /** The intermediate under which leaves are issued now, PEM. */
  clientCertChainPem(): string;
  /** What listeners trust client certificates by: every device root in use or retiring, PEM. */
  deviceRootsPem(): string;
  deviceRootsDer(): readonly Buffer[];
  /** Every intermediate whose leaves may live. */
  intermediatesDer(): readonly Buffer[];
  /** What devices trust our servers by: server roots in use, upcoming and retiring, PEM. */
  serverCaBundlePem(): string;
  brokerTls(): ServerTls;
  httpsTls(): ServerTls;
  /** Judges a client certificate that a proxy forwarded (RFC 9440) by the device roots; the books are not asked. */
  verifyClientChain(leafDer: Buffer, intermediateDers: readonly Buffer[]): { verified: boolean; problem?: string };
  /** Calls `listener` after anything above has changed, whichever process changed it. Returns how to stop. */
  onChange(listener: () => void): () => void;
  /** Every generation there ever was, oldest first. */
  status(): Promise<AuthorityStatus[]>;
  /** Each rotation returns the status after it; overlaps are explained in docs/pki.md. */
  rotateIntermediate(): Promise<AuthorityStatus[]>;
  /** Device root at once; server root announced, and taken into use 35 days later, or at once with `immediately`. */
  rotateRoot(options?: { immediately?: boolean }): Promise<AuthorityStatus[]>;
  rotateServer(): Promise<AuthorityStatus[]>;
  /** Does what is due; to be called at least daily. Throws when the database cannot be reached. */
  maintain(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Makes the hierarchy on the first start of all, checks the master key, does what is due and follows other processes.
 *
 * @throws MusterError wrong_master_key
 */
export async function createAuthorities(deps: AuthoritiesDeps): Promise<Authorities> {
  const keeper = await createKeeper(deps);
  const live = keeper.live;
  const change = async (kind: ChangeKind) => {
    await keeper.change(kind);
    return await keeper.status();
  };
  return {
    issuer: () => live().issuer,
    signer: () => live().issuer.signer,
    clientCertChainPem: () => live().issuer.chainPem,
    deviceRootsPem: () => live().deviceRootsPem,
    deviceRootsDer: () => live().deviceRoots,
    intermediatesDer: () => live().intermediates,
    serverCaBundlePem: () => live().serverCaBundlePem,
    brokerTls: () => live().brokerTls,
    httpsTls: () => live().httpsTls,
    verifyClientChain: (leafDer, intermediateDers) =>
      verifiedBy(live().deviceRoots, leafDer, intermediateDers, deps.clock.now()),
    onChange: keeper.onChange,
    status: keeper.status,
    rotateIntermediate: () => change("intermediate"),
    rotateRoot: (options) => change(options?.immediately ? "rootImmediately" : "root"),
    rotateServer: () => change("server"),
    maintain: () => keeper.change("due"),
    close: keeper.close,
  };
}
