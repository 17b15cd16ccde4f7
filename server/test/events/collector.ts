import type { LiveEvent } from "../../src/live/live.ts";

/** Collects the events that a subscription delivers, and waits for enough of them. */
export function collector<Event = LiveEvent>() {
  const got: Event[] = [];
  let check: () => void = () => undefined;
  const until = (enough: (events: readonly Event[]) => boolean): Promise<void> =>
    new Promise((resolve) => {
      check = () => {
        if (enough(got)) resolve();
      };
      check();
    });
  return {
    got,
    handler(events: Event[]): void {
      got.push(...events);
      check();
    },
    until,
    count: (count: number): Promise<void> => until(() => got.length >= count),
  };
}
