import type { RequestIds } from "../http/request-id.ts";
import { problemOf, Refusal } from "../problem.ts";
import type { Parsed } from "./gated-connection.ts";

const MESSAGE = "too many requests without valid credentials from this address";

/** Answers a request before routing because its address block has used up its unauthenticated budget. */
export function refuseUnauthenticated(requestIds: RequestIds): (parsed: Parsed, retryAfterSeconds: number) => void {
  return ({ request, response }, retryAfterSeconds) => {
    const id = requestIds.of(request);
    const refusal = new Refusal("rate_limited", MESSAGE, { extra: { retryAfterSeconds } });
    const { status, headers, body } = problemOf(refusal, id, () => false);
    const content = JSON.stringify(body);
    response.writeHead(status, {
      ...headers,
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(content),
      "cache-control": "no-store",
      "x-request-id": id,
    });
    response.end(content);
  };
}
