/**
 * Where a crash is worth trying (reliability.md, Failure tests). The points are all that production has of it: nothing in
 * `src/` installs a hook, so reaching one does nothing. Tests start the service through `test/harness/faulty-serve.ts`.
 */
export const FAULT_POINTS = [
  "sign.before",
  "sign.after",
  "redeem.commit",
  "redeem.committed",
  "renew.commit",
  "renew.committed",
  "bundle.commit",
  "bundle.committed",
  "revoke.commit",
  "revoke.committed",
  "delete.commit",
  "delete.committed",
  "drop.deliver",
  "drop.acknowledge",
  "page.commit",
  "deliver.send",
  "deliver.sent",
] as const;

/** `x.commit` is the last moment before the change is durable, `x.committed` the first one after it. */
export type FaultPoint = (typeof FAULT_POINTS)[number];

/** What happens at a point: it may wait, throw, or end the process. */
export type FaultHook = (point: FaultPoint) => Promise<void> | undefined;

let hook: FaultHook | undefined;

/** For tests only. */
export function installFaults(given: FaultHook): void {
  hook = given;
}

/** To be awaited at `point`; resolves at once where no hook is installed. */
export function reach(point: FaultPoint): Promise<void> | undefined {
  return hook?.(point);
}
