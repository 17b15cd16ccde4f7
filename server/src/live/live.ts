import type { Caller } from "../access/access.ts";
import type { EventHandler, Subscription } from "../events/events.ts";
import { follow, type LiveDeps, type LiveOptions } from "./follow.ts";

export type { LiveOptions } from "./follow.ts";

/** What the admin app shows without being asked: events and telemetry of a tenant in one stream. */
export interface Live {
  follow(caller: Caller, options: LiveOptions, handler: EventHandler): Promise<Subscription>;
  /** Ends every stream. */
  stop(): Promise<void>;
}

export function createLive(deps: LiveDeps): Live {
  const open = new Set<Subscription>();
  return {
    async follow(caller, options, handler) {
      const stream = await follow(deps, caller, options, handler);
      open.add(stream);
      stream.ended.catch(() => undefined).finally(() => open.delete(stream));
      return stream;
    },
    async stop() {
      await Promise.all([...open].map((stream) => stream.stop()));
    },
  };
}
