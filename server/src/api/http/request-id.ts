import type { IncomingMessage } from "node:http";
import { base32Lower, type Ids } from "../../lib/ids.ts";

/** What a client may name its own request: enough for a UUID or a trace id, nothing that could forge a log line. */
const SANE = /^[A-Za-z0-9._-]{1,64}$/;

/** Request ids: the client's `X-Request-Id` when it is sane, else a fresh one, unique over processes. */
export interface RequestIds {
  of(request: Pick<IncomingMessage, "headers">): string;
  fresh(): string;
}

export function createRequestIds(ids: Ids): RequestIds {
  const prefix = base32Lower(ids.bytes(8));
  let count = 0;
  const fresh = () => `${prefix}-${(++count).toString(36)}`;
  return {
    fresh,
    of: ({ headers }) => {
      const given = headers["x-request-id"];
      return typeof given === "string" && SANE.test(given) ? given : fresh();
    },
  };
}
