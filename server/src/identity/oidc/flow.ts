import { createHash, type KeyObject } from "node:crypto";
import { addMs, MINUTE } from "../../lib/clock.ts";
import type { IdentityDeps } from "../deps.ts";
import { isSame, mac, openCookie, signCookie } from "../signed-cookie.ts";
import { makeToken } from "../tokens.ts";
import { flowExpired } from "./oidc-errors.ts";

/** The purpose of a sign-in at the provider. Its first letter begins the state, from which the app learns it. */
export type FlowPurpose = "sign-in" | "verify" | "test";

/** A sign-in in progress. It is stored in a cookie, so unauthenticated clients use no memory on the server. */
export interface Flow {
  purpose: FlowPurpose;
  tenantId: string;
  connectionId: string;
  startedAt: Date;
  /** The session in which it was begun, unless it begins one. */
  sessionId: string | null;
  /** The second factor whose code was given when it was begun. */
  factorId: string | null;
  /** The random value that state, nonce and code verifier are derived from. */
  secret: string;
}

/** The values that the provider gets and returns. */
export interface FlowValues {
  state: string;
  nonce: string;
  /** The code verifier (RFC 7636). */
  verifier: string;
}

/** Returns a new flow with the text of its cookie. */
export function beginFlow(
  { oidcFlowKeys, clock, ids }: Pick<IdentityDeps, "oidcFlowKeys" | "clock" | "ids">,
  begun: Pick<Flow, "purpose" | "tenantId" | "connectionId"> & Partial<Pick<Flow, "sessionId" | "factorId">>,
): { values: FlowValues; cookie: string } {
  const flow: Flow = { sessionId: null, factorId: null, ...begun, startedAt: clock.now(), secret: makeToken(ids) };
  const key = oidcFlowKeys()[0]!;
  return { values: valuesOf(key, flow), cookie: signCookie(key, flow).cookie };
}

/**
 * Returns the flow of a cookie to which `state` belongs.
 *
 * @throws MusterError sign_in_flow_expired
 */
export function openFlow(
  { oidcFlowKeys, clock, limits }: Pick<IdentityDeps, "oidcFlowKeys" | "clock" | "limits">,
  { cookie, state, purpose }: { cookie: string | undefined; state: string; purpose: FlowPurpose },
): { flow: Flow; values: FlowValues } {
  const opened = openCookie(oidcFlowKeys(), cookie);
  if (!opened) throw flowExpired();
  const { key, stored } = opened;
  const flow: Flow = { ...stored, startedAt: new Date(stored.startedAt) };
  const values = valuesOf(key, flow);
  const isOpen = addMs(flow.startedAt, limits.oidcFlowMinutes * MINUTE) > clock.now();
  if (!isOpen || flow.purpose !== purpose || !isSame(values.state, state)) throw flowExpired();
  return { flow, values };
}

/** Returns the hash under which a state counts as used. */
export function stateHash(state: string): Buffer {
  return createHash("sha256").update(`state ${state}`).digest();
}

function valuesOf(key: KeyObject, { purpose, secret }: Flow): FlowValues {
  return {
    state: `${purpose[0]}${mac(key, "state", secret)}`,
    nonce: mac(key, "nonce", secret),
    verifier: mac(key, "verifier", secret),
  };
}
