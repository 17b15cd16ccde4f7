import { type Access, type Caller, keyOf, sessionIdOf } from "../../access/access.ts";
import type { Identity } from "../../identity/identity.ts";
import type { StreamSlots } from "./stream-slots.ts";

export interface HolderTools {
  slots: StreamSlots;
  identity: Pick<Identity, "followSession">;
  access: Pick<Access, "followKey">;
}

/** The holder of a stream: a session of the admin app, or an API key. The stream ends with its holder. */
export interface StreamHolder {
  /** Takes a slot. @returns a function that releases it. @throws Refusal rate_limited */
  take(): () => void;
  /** Follows the holder's end. @returns a function that stops following */
  follow(ended: () => void): Promise<() => void>;
  /** The reason that the stream gives when it ends. */
  ended: "session_ended" | "key_ended";
}

export function holderOf(caller: Caller, { slots, identity, access }: HolderTools): StreamHolder {
  const sessionId = sessionIdOf(caller);
  if (sessionId !== undefined)
    return {
      take: () => slots.takeForSession(sessionId, caller.tenantId),
      follow: (ended) => identity.followSession(sessionId, ended),
      ended: "session_ended",
    };
  const key = keyOf(caller);
  return {
    take: () => slots.takeForKey(key.keyId, caller.tenantId),
    follow: (ended) => access.followKey(key, ended),
    ended: "key_ended",
  };
}
