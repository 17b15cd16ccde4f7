import type { TenantEvent } from "../../src/events/events.ts";

/** Collects what a subscription is given, and waits until it holds enough. */
export function collector() {
  const got: TenantEvent[] = [];
  let check: () => void = () => undefined;
  const until = (enough: (events: readonly TenantEvent[]) => boolean): Promise<void> =>
    new Promise((resolve) => {
      check = () => {
        if (enough(got)) resolve();
      };
      check();
    });
  return {
    got,
    handler(events: TenantEvent[]): void {
      got.push(...events);
      check();
    },
    until,
    count: (count: number): Promise<void> => until(() => got.length >= count),
  };
}
