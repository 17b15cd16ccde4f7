/**
 * The roots, intermediates and server certificates in use. The rows in the database decide; each process has a copy
 * that follows them. One process at a time changes them, and no change invalidates a certificate that is in use.
 */
import type { KeyObject } from "node:crypto";
import type { Administrator } from "../audit/audit.ts";
import type { Tx } from "../db/types.ts";
import type { ClientIssuers } from "../lib/sockets/mutual-tls.ts";
import { type Signer, verifyClientChain } from "../pki/pki.ts";
import { listAuthorities, listAuthoritiesInUse } from "./authority-store.ts";
import { type ChangeKind, changeHierarchy } from "./change-hierarchy.ts";
import type { AuthoritiesDeps } from "./deps.ts";
import type { KeyPurpose } from "./derived-keys.ts";
import { followAuthorities } from "./follow-authorities.ts";
import type { Issuer, ServerTls } from "./loaded-authorities.ts";
import { type MasterKeyRotation, rotateMasterKey } from "./rotate-master-key.ts";
import { createSealedSecrets, type SealedSecrets } from "./sealed-secrets.ts";
import {
  type AuthorityStatus,
  type ExportedAuthority,
  exportCertificates,
  issuersOf,
  type RootRollout,
  rolloutOf,
  statusOf,
} from "./status.ts";

export { readMasterKeyCheck } from "./authority-store.ts";
export type { Issuer } from "./loaded-authorities.ts";
export { createMasterKeys, fixedMasterKey, type MasterKeyStore } from "./master-keys.ts";
export type { SealedSecrets } from "./sealed-secrets.ts";
export type { AuthorityStatus, ExportedAuthority, RootRollout } from "./status.ts";

/** A kind of rotation. `rootImmediately`: the new server root is active immediately. */
export type Rotation = "intermediate" | "server" | "root" | "rootImmediately";

export interface Authorities {
  /**
   * Returns the signer and the chain of its leaves, consistent with each other: use both to issue a leaf and return it.
   */
  issuer(): Issuer;
  signer(): Signer;
  /** Returns the active intermediate, PEM. */
  clientCertChainPem(): string;
  deviceRootsDer(): readonly Buffer[];
  /** Returns every intermediate whose leaves may be valid. */
  intermediatesDer(): readonly Buffer[];
  /** Returns the device roots, and certificates that name the intermediates in certificate requests only. */
  clientIssuers(): ClientIssuers;
  /** Returns the server roots that devices must trust: active, upcoming and retiring, PEM. */
  serverCaBundlePem(): string;
  brokerTls(): ServerTls;
  httpsTls(): ServerTls;
  /**
   * Verifies a client certificate that a proxy forwarded (RFC 9440) against the device roots. Does not check
   * revocation.
   */
  verifyClientChain(leafDer: Buffer, intermediateDers: readonly Buffer[]): { verified: boolean; problem?: string };
  /** Calls `listener` after any change to the above, in any process. Returns a function that removes it. */
  onChange(listener: () => void): () => void;
  /** Lists every generation, including retired ones, oldest first. */
  status(): Promise<AuthorityStatus[]>;
  /** Returns the server root that replaces another one that is still trusted. */
  rollout(): Promise<RootRollout | undefined>;
  /** Lists the public certificates of the roots and intermediates in use, oldest first. */
  exportCertificates(): Promise<ExportedAuthority[]>;
  /** Returns the intermediate that issued a leaf, then its root, even if they are retired. */
  issuersOf(leafDer: Buffer): Promise<ExportedAuthority[]>;
  /** Rotates the intermediate. Each rotation returns the status after it; docs/pki.md explains the overlaps. */
  rotateIntermediate(): Promise<AuthorityStatus[]>;
  /**
   * Rotates the roots. The new device root is active immediately. The new server root is announced and becomes active
   * 35 days later, or immediately with `immediately`.
   */
  rotateRoot(options?: { immediately?: boolean }): Promise<AuthorityStatus[]>;
  rotateServer(): Promise<AuthorityStatus[]>;
  /**
   * Rotates within the transaction `tx` and records the rotation as one by `by`. All processes follow once it has
   * committed.
   */
  rotateIn(tx: Tx, rotation: Rotation, by: Pick<Administrator, "actor" | "address">): Promise<AuthorityStatus[]>;
  /**
   * Returns the key derived from the master key for a purpose, then those derived from former master keys that are
   * still accepted.
   *
   * @throws MusterError wrong_master_key when the master key was rotated to one that this process does not have
   */
  keysFor(purpose: KeyPurpose): readonly KeyObject[];
  /** Encrypts other features' stored secrets under the master key. */
  readonly secrets: SealedSecrets;
  /** Returns whether this process has the current master key: after a rotation it may lack the new one. */
  hasMasterKey(): boolean;
  /**
   * Replaces the master key; repeat it after an interruption. docs/operations/secrets.md describes the procedure.
   *
   * @throws MusterError invalid_request
   */
  rotateMasterKey(): Promise<MasterKeyRotation>;
  /**
   * Runs due rotations and puts a rotated master key in its place; call it at least daily. Throws when the database is
   * unreachable.
   */
  maintain(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Creates the hierarchy at the first start, verifies the master key, runs due rotations, and follows the changes of
 * other processes.
 *
 * @throws MusterError wrong_master_key
 */
export async function createAuthorities(deps: AuthoritiesDeps): Promise<Authorities> {
  await changeHierarchy(deps, "start");
  const { current, reload, onChange, close } = await followAuthorities(deps);
  await promoteMasterKey(deps);
  onChange(() => void promoteMasterKey(deps));
  const status = async () => (await listAuthorities(deps.database.db)).map(statusOf);
  const change = async (kind: ChangeKind) => {
    await changeHierarchy(deps, kind);
    await reload();
  };
  const rotate = async (kind: ChangeKind) => {
    await change(kind);
    return await status();
  };
  return {
    issuer: () => current().issuer,
    signer: () => current().issuer.signer,
    clientCertChainPem: () => current().issuer.chainPem,
    deviceRootsDer: () => current().deviceRoots,
    intermediatesDer: () => current().intermediates,
    clientIssuers: () => current().clientIssuers,
    serverCaBundlePem: () => current().serverCaBundlePem,
    brokerTls: () => current().brokerTls,
    httpsTls: () => current().httpsTls,
    verifyClientChain: (leafDer, intermediateDers) => {
      const result = verifyClientChain(leafDer, intermediateDers, current().deviceRoots, deps.clock.now());
      return result.ok ? { verified: true } : { verified: false, problem: result.problem };
    },
    onChange,
    status,
    rollout: async () => rolloutOf(await listAuthoritiesInUse(deps.database.db)),
    exportCertificates: async () => exportCertificates(await listAuthoritiesInUse(deps.database.db)),
    issuersOf: async (leafDer) => issuersOf(await listAuthorities(deps.database.db), leafDer),
    rotateIntermediate: () => rotate("intermediate"),
    rotateRoot: (options) => rotate(options?.immediately ? "rootImmediately" : "root"),
    rotateServer: () => rotate("server"),
    rotateIn: async (tx, rotation, by) => {
      await changeHierarchy(deps, rotation, { by, db: tx });
      return (await listAuthorities(tx)).map(statusOf);
    },
    keysFor: (purpose) => {
      deps.masterKeys.current();
      const now = deps.clock.now();
      const keys = current().keys[purpose].filter(({ neededUntil }) => neededUntil === undefined || neededUntil > now);
      return keys.map(({ key }) => key);
    },
    secrets: createSealedSecrets(deps),
    hasMasterKey: () => deps.masterKeys.isKnown(),
    rotateMasterKey: async () => {
      const rotated = await rotateMasterKey(deps);
      await reload();
      return { ...rotated, remaining: await deps.masterKeys.promote() };
    },
    maintain: async () => {
      await change("due");
      await promoteMasterKey(deps);
    },
    close,
  };
}

/** Makes the rotated master key the current one in this process's key store. */
async function promoteMasterKey({ masterKeys, logger }: AuthoritiesDeps): Promise<void> {
  try {
    for (const note of await masterKeys.promote()) logger.warn(`the master key was rotated: ${note}`);
  } catch (error) {
    logger.error({ err: (error as Error).message }, "could not put the master key in its place");
  }
}
