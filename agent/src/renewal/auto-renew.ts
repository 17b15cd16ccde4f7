import { delayMs, RENEWAL } from "../connection/backoff.ts";
import { type AgentError, asAgentError, isTransient } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import type { Identity } from "../state/identity.ts";
import { certificateDates, renewalDue, sleepTowards } from "./schedule.ts";

/** The parts of an agent that automatic renewal uses. */
export interface AutoRenewal {
  runtime: Runtime;
  signal: AbortSignal;
  /** Returns the identity currently on disk. */
  load(): Promise<Identity>;
  renew(): Promise<unknown>;
  /** Called after each failure; `final` means that a retry cannot help and a person must act. */
  failed(error: AgentError, final: boolean, retryInMs: number): void;
}

const HOUR_MS = 3_600_000;

/**
 * Renews whenever it is due, until `signal` is aborted: from `renewAfterUtc` plus jitter, with backoff after a
 * failure. After a final refusal it waits until another certificate is on disk.
 */
export async function autoRenew(parts: AutoRenewal): Promise<void> {
  const { runtime, signal } = parts;
  const jitter = runtime.random();
  let attempt = 0;
  let refused: string | undefined;
  while (!signal.aborted) {
    try {
      const identity = await parts.load();
      const serial = identity.certificate.serialNumber;
      const wait = sleepTowards(renewalDue(certificateDates(identity), jitter), runtime.now());
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

async function renewOnce(parts: AutoRenewal, onOutcome: (final: boolean) => void): Promise<void> {
  try {
    await parts.renew();
    onOutcome(false);
  } catch (thrown) {
    onOutcome(isFinal(asAgentError(thrown)));
    throw thrown;
  }
}

/** Reports whether the HTTPS server's refusal is one that a retry cannot change (spec 7, `cert_invalid`). */
function isFinal(error: AgentError): boolean {
  return error.status !== undefined && !isTransient(error);
}
