import type { StoredWill } from "../../connections/connections.ts";
import { DEFAULT_LIMITS } from "../../lib/limits/limits.ts";
import type { Will } from "../codec/read-connect.ts";
import { writeProperties } from "../codec/write-properties.ts";
import { forwarded } from "../message.ts";
import { ownerOf, type Principal } from "../policy/policy.ts";

const MOST_SECONDS = DEFAULT_LIMITS.mqtt5WillDelaySeconds;

/**
 * Returns the will to store with a session; `undefined` if there is none or it is published as soon as the connection
 * ends.
 */
export function delayedWillOf(
  will: Will | undefined,
  sessionId: string,
  principal: Principal,
  expirySeconds: number,
): StoredWill | undefined {
  const delaySeconds = Math.min(will?.properties?.willDelay ?? 0, MOST_SECONDS, expirySeconds);
  if (!will || delaySeconds === 0) return undefined;
  return storedWill(will, sessionId, principal, delaySeconds);
}

/** Returns a will in its stored form. */
export function storedWill(will: Will, sessionId: string, principal: Principal, delaySeconds: number): StoredWill {
  const { topic, payload, qos, retain } = will;
  const { tenantId, tenantSlug, clientId, deviceUid } = principal;
  return {
    sessionId,
    ownerId: ownerOf(principal),
    tenantId,
    tenantSlug,
    clientId,
    isDevice: deviceUid !== undefined,
    topic,
    payload,
    qos,
    retain,
    properties: writeProperties(forwarded(will.properties) ?? {}),
    delaySeconds,
  };
}
