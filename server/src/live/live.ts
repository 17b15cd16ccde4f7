import { type Bound, bind } from "../access/access.ts";
import type { Subscription } from "../events/events.ts";
import { follow, type LiveDeps } from "./follow.ts";

export type { LiveEvent } from "./follow.ts";

/** The stream that the admin app shows: a tenant's events and telemetry. */
export const liveUseCases = { follow };

export interface Live extends Bound<typeof liveUseCases> {
  /** Ends every stream. */
  stop(): Promise<void>;
}

export function createLive(deps: Omit<LiveDeps, "streams">): Live {
  const streams = new Set<Subscription>();
  return {
    ...bind({ ...deps, streams }, liveUseCases),
    async stop() {
      await Promise.all([...streams].map((stream) => stream.stop()));
    },
  };
}
