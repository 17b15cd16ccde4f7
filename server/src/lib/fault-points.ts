/**
 * Named points at which the crash tests end the process, throw, or delay. Nothing in `src/` installs a hook, so in
 * production they do nothing; `test/harness/processes/faulty-serve.ts` starts the service with one.
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
  "block.commit",
  "block.committed",
  "master-key.prepared",
  "master-key.commit",
  "master-key.committed",
  "master-key.kept",
  "master-key.promoted",
  "drop.deliver",
  "drop.acknowledge",
  "command.acknowledge",
  "stored.acknowledge",
  "stored.changed",
  "stored.resumed",
  "stored.part",
  "retained.committed",
  "will.complete",
  "will.completed",
  "page.commit",
  "deliver.send",
  "deliver.sent",
  "stream.open",
] as const;

/** The name of a fault point. `x.commit` is just before the transaction commits, `x.committed` just after. */
export type FaultPoint = (typeof FAULT_POINTS)[number];

/** Called at every fault point; it may wait, throw, or end the process. */
export type FaultHook = (point: FaultPoint) => Promise<void> | undefined;

let hook: FaultHook | undefined;

/** Installs the hook; for tests only. */
export function installFaultHook(installed: FaultHook): void {
  hook = installed;
}

/** Runs the installed hook for `point`; returns `undefined` if none is installed. */
export function faultPoint(point: FaultPoint): Promise<void> | undefined {
  return hook?.(point);
}
