import { connect } from "node:tls";
import { SECOND } from "../../lib/clock.ts";
import { resolveTarget } from "../../lib/outgoing/resolve-target.ts";
import { untilAborted } from "../../lib/timeouts.ts";
import type { NotificationsDeps } from "../deps.ts";

/**
 * Sends frames over TLS (RFC 5425). The protocol has no acknowledgement. So the connection is closed for writing after
 * the last frame, and counts as received when the receiver has read to that end and closes it without an error.
 *
 * @throws Error unless the receiver has read everything
 */
export async function sendSyslog(
  { limits, resolve, settings }: Pick<NotificationsDeps, "limits" | "resolve" | "settings">,
  { target, ca, frames }: { target: string; ca: string | null; frames: string },
  abandon: AbortSignal,
): Promise<void> {
  const signal = AbortSignal.any([AbortSignal.timeout(limits.webhookSeconds * SECOND), abandon]);
  const targets = { allowed: settings.allowPrivateWebhooks, setting: "MUSTER_WEBHOOK_ALLOW_PRIVATE" };
  const url = new URL(target.replace(/^syslogs:/, "https:"));
  const host = await untilAborted(resolveTarget(url, resolve, targets, signal), signal);
  const servername = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const port = Number(url.port || SYSLOG_PORT);
  await new Promise<void>((done, fail) => {
    const socket = connect({
      host,
      port,
      servername: isName(servername) ? servername : "",
      ...(ca !== null && { ca }),
    });
    const abort = () => socket.destroy(new Error("the receiver did not read the entries in time"));
    signal.addEventListener("abort", abort, { once: true });
    let ended = false;
    socket.on("secureConnect", () => socket.end(frames));
    socket.on("end", () => {
      ended = true;
    });
    socket.on("error", fail);
    socket.on("close", (failed) => {
      signal.removeEventListener("abort", abort);
      if (!failed && ended) done();
      else fail(new Error("the receiver closed the connection"));
    });
    socket.resume();
  });
}

/** RFC 5425 4.1. */
const SYSLOG_PORT = 6514;

/** TLS names no addresses (RFC 6066 3). */
function isName(host: string): boolean {
  return !/^[\d.]+$|:/.test(host);
}
