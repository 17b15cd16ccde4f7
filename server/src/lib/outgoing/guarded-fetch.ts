import { request } from "node:https";
import { isIPv6, type LookupFunction } from "node:net";
import { untilAborted } from "../timeouts.ts";
import { type PrivateTargets, type Resolve, resolveTarget } from "./resolve-target.ts";

/** The part of a fetch request that the guard sends. */
export interface GuardedRequest {
  method?: string | undefined;
  headers?: Record<string, string> | Headers | undefined;
  body?: string | URLSearchParams | Uint8Array | undefined | null;
  signal?: AbortSignal | undefined;
}

/** Like `fetch`, to addresses that a user named. */
export type GuardedFetch = (url: string, request?: GuardedRequest) => Promise<Response>;

/** An answer that is longer than the guard reads. */
export class AnswerTooLong extends Error {
  override readonly name = "AnswerTooLong";
}

/**
 * Creates a fetch that speaks https only, connects to the one address it has checked, follows no redirect, and reads at
 * most `mostBytes` within `timeoutMs`.
 */
export function createGuardedFetch(options: {
  resolve: Resolve;
  privateTargets: PrivateTargets;
  mostBytes: number;
  timeoutMs: number;
}): GuardedFetch {
  return async (text, { signal: given, ...wanted } = {}) => {
    const url = new URL(text);
    const signal = AbortSignal.any([AbortSignal.timeout(options.timeoutMs), ...(given ? [given] : [])]);
    const target = resolveTarget(url, options.resolve, options.privateTargets, signal);
    const address = await untilAborted(target, signal);
    return toResponse(await send(url, address, { ...wanted, signal, mostBytes: options.mostBytes }));
  };
}

interface Answer {
  status: number;
  headers: NodeJS.Dict<string[]>;
  body: Buffer;
}

function send(
  url: URL,
  address: string,
  { method = "GET", headers, body, signal, mostBytes }: GuardedRequest & { signal: AbortSignal; mostBytes: number },
): Promise<Answer> {
  const octets =
    body === undefined || body === null ? undefined : Buffer.from(body instanceof Uint8Array ? body : `${body}`);
  const sent = new Headers(headers);
  if (octets) sent.set("content-length", String(octets.length));
  const options = { method, headers: Object.fromEntries(sent), lookup: alwaysTo(address), signal, agent: false };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, options, (answer) => {
      const chunks: Buffer[] = [];
      let read = 0;
      answer.on("data", (chunk: Buffer) => {
        read += chunk.length;
        chunks.push(chunk);
        if (read > mostBytes) answer.destroy(new AnswerTooLong(`the answer has more than ${mostBytes} bytes`));
      });
      answer.on("error", reject);
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headersDistinct, body: Buffer.concat(chunks) }),
      );
    });
    outgoing.on("error", reject);
    outgoing.on("close", () => reject(new Error("the connection ended without an answer")));
    outgoing.end(octets);
  });
}

/** Connects to the checked address, whatever the name resolves to now. */
function alwaysTo(address: string): LookupFunction {
  const family = isIPv6(address) ? 6 : 4;
  return (_host, options, done) => {
    if (options.all) done(null, [{ address, family }]);
    else done(null, address, family);
  };
}

/** @throws RangeError for a status that HTTP has not, which Node's parser lets through */
function toResponse({ status, headers, body }: Answer): Response {
  const pairs = Object.entries(headers).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const isEmpty = [204, 205, 304].includes(status);
  return new Response(isEmpty ? null : new Uint8Array(body), { status, headers: pairs });
}
