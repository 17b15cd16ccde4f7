import { type Bound, bind } from "../access/access.ts";
import type { Subscription } from "../events/events.ts";
import { follow, type LiveDeps } from "./follow.ts";
import { listEvents } from "./list-events.ts";

export type { LiveEvent } from "./follow.ts";

/** A tenant's events and telemetry as a stream, and its events by page. */
export const liveUseCases = { follow, listEvents };

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
