import { delayMs, RENEWAL } from "./backoff.ts";
import { type AgentError, asAgentError, isTransient } from "./errors.ts";
import type { Identity } from "./identity.ts";
import type { Runtime } from "./runtime.ts";
import { certificateDates, renewalDue, sleepTowards } from "./schedule.ts";

/** What the renewal keeper needs from its agent. */
export interface RenewalParts {
  runtime: Runtime;
  signal: AbortSignal;
  /** The identity on disk now. */
  load(): Promise<Identity>;
  renew(): Promise<unknown>;
  /** Called after each failure; `final` when only a person can change the outcome. */
  failed(error: AgentError, final: boolean, retryInMs: number): void;
}

const HOUR_MS = 3_600_000;

/**
 * Renews when the time has come, for as long as `signal` allows: from `renewAfterUtc` plus jitter, again with back-off
 * after a failure. After a refusal that no retry can change it waits until another certificate is on disk.
 */
export async function keepRenewed(parts: RenewalParts): Promise<void> {
  const { runtime, signal } = parts;
  const luck = runtime.random();
  let attempt = 0;
  let refused: string | undefined;
  while (!signal.aborted) {
    try {
      const identity = await parts.load();
      const serial = identity.certificate.serialNumber;
      const wait = sleepTowards(renewalDue(certificateDates(identity), luck), runtime.now());
      if (wait > 0 || refused === serial) {
        await runtime.sleep(refused === serial ? HOUR_MS : wait, signal);
        continue;
      }
      await renewOnce(parts, (final) => {
        refused = final ? serial : undefined;
      });
      attempt = 0;
    } catch (thrown) {
      const error = asAgentError(thrown);
      const retryInMs = Math.max(error.retryAfterMs ?? 0, delayMs(RENEWAL, attempt++, runtime.random()));
      if (signal.aborted) return;
      parts.failed(error, isFinal(error), retryInMs);
      await runtime.sleep(retryInMs, signal);
    }
  }
}

async function renewOnce(parts: RenewalParts, settle: (final: boolean) => void): Promise<void> {
  try {
    await parts.renew();
    settle(false);
  } catch (thrown) {
    settle(isFinal(asAgentError(thrown)));
    throw thrown;
  }
}

/** A refusal by the HTTPS server that repeating cannot change (spec 7, `cert_invalid`). */
function isFinal(error: AgentError): boolean {
  return error.status !== undefined && !isTransient(error);
}
