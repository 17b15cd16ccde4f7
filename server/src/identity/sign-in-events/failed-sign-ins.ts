import { addressBlock } from "../../lib/address.ts";
import { isMusterError } from "../../lib/errors.ts";
import { createWriteBehind } from "../../lib/write-behind.ts";
import type { IdentityDeps } from "../deps.ts";
import type { FailedSignIns, Failing, FailureCause, Failures } from "./failures.ts";
import { recordFailures } from "./record-failures.ts";

const DELAY_MS = 250;
const RETRY_MS = 5_000;
/** The most different failures in memory; further ones are counted together. */
const MOST = 1_000;

export function createFailedSignIns(
  deps: Pick<IdentityDeps, "database" | "clock" | "ids" | "limits" | "logger">,
): FailedSignIns {
  const pending = new Map<string, Failures>();
  const write = createWriteBehind(
    async () => {
      for (const [key, failures] of [...pending]) {
        pending.delete(key);
        await recordFailures(deps, failures).catch((error: unknown) => {
          add(key, failures);
          throw error;
        });
      }
    },
    {
      delayMs: DELAY_MS,
      retry: {
        afterMs: RETRY_MS,
        onFailure: ({ message }) => deps.logger.warn({ err: message }, "could not record failed sign-ins"),
      },
    },
  );

  function add(key: string, failures: Failures): void {
    const known = pending.get(key);
    if (!known) return void pending.set(key, failures);
    known.times += failures.times;
    if (failures.first < known.first) known.first = failures.first;
    if (failures.last > known.last) known.last = failures.last;
  }

  function report({ email, address, actor = "visitor", tenantId = null }: Failing, cause: FailureCause): void {
    const block = addressBlock(address);
    const now = deps.clock.now();
    const failures = { email, address, actor, tenantId, addressBlock: block, cause, times: 1, first: now, last: now };
    const key = JSON.stringify([email.toLowerCase(), tenantId, block, cause]);
    if (pending.size < MOST || pending.has(key)) add(key, failures);
    else add("others", { ...failures, email: "", tenantId: null, actor: "visitor", addressBlock: "others" });
    write.schedule();
  }

  return {
    async reported(who, attempt) {
      try {
        return await attempt();
      } catch (error) {
        const cause = causeOf(error);
        if (cause) report(who, cause);
        throw error;
      }
    },
    flush: write.flush,
    stop: write.stop,
  };
}

function causeOf(error: unknown): FailureCause | undefined {
  if (isMusterError(error, "sign_in_throttled")) return "throttled";
  if (isMusterError(error, "sso_required")) return "sso_required";
  if (isMusterError(error, "sign_in_refused")) return `provider:${error.detail}`;
  if (!isMusterError(error, "invalid_credentials")) return undefined;
  const { detail } = error;
  return detail === "code" || detail === "passkey" || detail === "passkey_counter" ? detail : "password";
}
