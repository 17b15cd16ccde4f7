import type { NotificationsDeps } from "../deps.ts";
import { callTarget } from "../webhooks/call-target.ts";
import { signatureHeaders, webhookSecret } from "../webhooks/webhook-secret.ts";
import { ndjson, otlpLogs, type StreamedEntry, syslogFrames } from "./formats.ts";
import { sendSyslog } from "./send-syslog.ts";
import type { StreamRow } from "./stream-store.ts";

/**
 * Sends a batch of entries. Resolves when the receiver has accepted it.
 *
 * @returns how many entries the receiver refused for good
 * @throws Error when it has not accepted the batch
 */
export async function sendEntries(
  deps: Pick<NotificationsDeps, "clock" | "limits" | "resolve" | "settings" | "webhookKeys" | "baseUrl">,
  stream: StreamRow,
  entries: readonly StreamedEntry[],
  abandon: AbortSignal,
): Promise<number> {
  if (stream.kind === "syslog") {
    const frames = syslogFrames(entries, new URL(deps.baseUrl()).hostname);
    await sendSyslog(deps, { target: stream.target, ca: stream.ca_pem, frames }, abandon);
    return 0;
  }
  const isOtlp = stream.kind === "otlp";
  const body = isOtlp ? otlpLogs(entries) : ndjson(entries);
  const headers = {
    "content-type": isOtlp ? "application/json" : "application/x-ndjson",
    "user-agent": "Muster-Audit/1",
    ...signatureHeaders(secretsOf(deps, stream), entries[0]!.id, deps.clock.now(), body),
  };
  const called = await callTarget(deps, { method: "POST", url: stream.target, headers, body }, abandon);
  if ("sent" in called) throw new Error(called.sent ? "no answer" : called.error);
  if (called.status < 200 || called.status > 299) throw new Error(`answered ${called.status}`);
  return isOtlp ? Math.min(refusedIn(called.text), entries.length) : 0;
}

/** Returns the secrets with which the stream is signed, the current one first. */
export function secretsOf({ webhookKeys }: Pick<NotificationsDeps, "webhookKeys">, stream: StreamRow): string[] {
  return webhookKeys().map((key) => webhookSecret(key, stream.tenant_id, stream.target, stream.secret_seed));
}

/** A collector may accept a part, and refuse the rest for good (OTLP, partial success). */
function refusedIn(text: string): number {
  try {
    const refused = Number(JSON.parse(text)?.partialSuccess?.rejectedLogRecords ?? 0);
    return Number.isSafeInteger(refused) && refused > 0 ? refused : 0;
  } catch {
    return 0;
  }
}
