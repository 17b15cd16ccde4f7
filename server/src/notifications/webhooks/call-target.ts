import type { IncomingHttpHeaders } from "node:http";
import { request } from "node:https";
import { isIPv6, type LookupFunction } from "node:net";
import { SECOND } from "../../lib/clock.ts";
import { resolveTarget, TargetRefused } from "../../lib/outgoing/resolve-target.ts";
import { untilAborted } from "../../lib/timeouts.ts";
import { failed, type Outcome } from "../delivery/outcome.ts";
import type { NotificationsDeps } from "../deps.ts";

/** An HTTPS request to an address that a user chose. */
export interface HttpCall {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | Buffer;
}

export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/**
 * Sends a request once the guard has checked the address of its host. A redirect is not followed, because that would
 * bypass the check.
 *
 * @returns the answer, or the outcome of an attempt that got none
 */
export async function callTarget(
  deps: Pick<NotificationsDeps, "limits" | "resolve" | "settings">,
  call: HttpCall,
  abandon: AbortSignal,
): Promise<HttpAnswer | Outcome> {
  const { limits, resolve, settings } = deps;
  const signal = AbortSignal.any([AbortSignal.timeout(limits.webhookSeconds * SECOND), abandon]);
  const targets = { allowed: settings.allowPrivateWebhooks, setting: "MUSTER_WEBHOOK_ALLOW_PRIVATE" };
  let address: string;
  try {
    address = await untilAborted(resolveTarget(new URL(call.url), resolve, targets, signal), signal);
  } catch (error) {
    return failed(error, { final: error instanceof TargetRefused });
  }
  try {
    return await send(call, address, { signal, mostBytes: limits.webhookAnswerBytes });
  } catch (error) {
    const { code } = error as { code?: string };
    return failed(error, { maybeSent: code !== "ECONNREFUSED" && code !== "ENOTFOUND" });
  }
}

/** @returns the answer, once it has ended or is too long; rejects if none came in time */
function send(
  { method, url, headers, body }: HttpCall,
  address: string,
  { signal, mostBytes }: { signal: AbortSignal; mostBytes: number },
): Promise<HttpAnswer> {
  const family = isIPv6(address) ? 6 : 4;
  /** Connects to the checked address, whatever the name resolves to now. */
  const lookup: LookupFunction = (_host, options, done) => {
    if (options.all) done(null, [{ address, family }]);
    else done(null, address, family);
  };
  const length = { "content-length": String(Buffer.byteLength(body)) };
  const options = { method, headers: { ...headers, ...length }, lookup, signal, agent: false };
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (answer) => {
      const status = answer.statusCode ?? 0;
      const chunks: Buffer[] = [];
      let octets = 0;
      answer.on("data", (chunk: Buffer) => {
        octets += chunk.length;
        if (octets > mostBytes) answer.destroy();
        else chunks.push(chunk);
      });
      answer.on("error", () => undefined);
      answer.on("close", () =>
        resolve({ status, headers: answer.headers, text: Buffer.concat(chunks).toString("utf8") }),
      );
    });
    // Without this listener, Node emits only "close" for an answer of 101.
    sent.on("upgrade", (answer, socket) => {
      socket.destroy();
      resolve({ status: answer.statusCode ?? 0, headers: {}, text: "" });
    });
    sent.on("error", reject);
    sent.on("close", () => reject(new Error("the connection ended without an answer")));
    sent.end(body);
  });
}
