import type { IncomingMessage } from "node:http";
import { base32Lower, type Ids } from "../../lib/ids.ts";

/**
 * Request ids that clients may choose: long enough for a UUID or a trace id, without characters that could forge a log
 * line.
 */
const ACCEPTED = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * Provides request ids: the client's `X-Request-Id` if it is acceptable, otherwise a new one that is unique across
 * processes.
 */
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
      return typeof given === "string" && ACCEPTED.test(given) ? given : fresh();
    },
  };
}
