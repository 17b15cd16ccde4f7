import { useSyncExternalStore } from "react";

/** The rejection of a cancelled confirmation: the user knows it, so no screen reports it. */
export const CANCELLED = Symbol("cancelled");

interface Waiting {
  confirmed: () => void;
  cancelled: () => void;
}

let waiting: readonly Waiting[] = [];
const listeners = new Set<() => void>();

function set(next: readonly Waiting[]): void {
  waiting = next;
  for (const listener of listeners) listener();
}

/** Asks the user for the password; one answer confirms all waiting requests. @throws CANCELLED */
export function requestStepUp(): Promise<void> {
  return new Promise((resolve, reject) => {
    set([...waiting, { confirmed: resolve, cancelled: () => reject(CANCELLED) }]);
  });
}

export function confirmStepUp(): void {
  const all = waiting;
  set([]);
  for (const each of all) each.confirmed();
}

export function cancelStepUp(): void {
  const all = waiting;
  set([]);
  for (const each of all) each.cancelled();
}

/** Returns whether a request waits for the user's confirmation. */
export function useStepUpWanted(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => waiting.length > 0,
  );
}
