import { isSeenBy } from "./snapshot.ts";
import type { TelemetryChanges, TelemetryPlace } from "./telemetry-changes.ts";

type Look = (place: TelemetryPlace) => Promise<TelemetryChanges>;

/** Has those who follow the same values from the same place look together, so that ten of them cost one look. */
export interface SharedLook {
  /** Where the others are, if there are any. */
  readonly place: TelemetryPlace | undefined;
  look: Look;
  /** Where to go on for somebody who has been told all up to `mine`: with the others if they are not ahead of that. */
  join(mine: TelemetryPlace): TelemetryPlace;
}

export function createSharedLook(read: Look): SharedLook {
  /** Where the others are, and the look that brought them there from `from`. */
  let place: TelemetryPlace | undefined;
  let from: TelemetryPlace | undefined;
  let last: Promise<TelemetryChanges> | undefined;

  function lookOn(): Promise<TelemetryChanges> {
    from = place;
    const looking = read(from!);
    last = looking;
    looking.then(
      ({ next }) => {
        place = next;
      },
      () => {
        if (last === looking) last = undefined;
      },
    );
    return looking;
  }

  return {
    get place() {
      return place;
    },
    look(at) {
      if (at === from && last) return last;
      return at === place ? lookOn() : read(at);
    },
    join(mine) {
      if (mine === place || mine.round) return mine;
      place ??= mine;
      return isSeenBy(mine.seen, place.round?.seen ?? place.seen) ? place : mine;
    },
  };
}
