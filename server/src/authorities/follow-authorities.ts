import { coalesceRuns } from "../lib/coalesce-runs.ts";
import { CHANGED_CHANNEL, readHierarchy } from "./authority-store.ts";
import type { AuthoritiesDeps } from "./deps.ts";
import { type LoadedState, loadState, versionOf } from "./loaded-authorities.ts";

/** The copy of the hierarchy that this process serves from. */
export interface FollowedAuthorities {
  current(): LoadedState;
  /** Resolves when the copy has everything that was committed before the call. */
  reload(): Promise<void>;
  /** @returns a function that removes the listener */
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}

/** Loads the hierarchy, and reloads it whenever a process has changed it. */
export async function followAuthorities({
  database,
  logger,
  masterKeys,
}: AuthoritiesDeps): Promise<FollowedAuthorities> {
  const listeners = new Set<() => void>();
  let current: LoadedState | undefined;
  // Loads run one at a time, so that an older state never replaces a newer one.
  const loads = coalesceRuns(load);

  async function load(): Promise<void> {
    const stored = await readHierarchy(database.db);
    const previous = current;
    if (versionOf(stored) === previous?.version) return;
    await masterKeys.select(stored.check);
    current = loadState(stored, masterKeys.current());
    if (previous !== undefined) logger.info("the certificate authorities have changed");
    for (const listener of listeners) notify(listener);
  }

  function notify(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      logger.error({ err: error }, "could not start to use the new certificate authorities");
    }
  }

  const unlisten = await database.listen(CHANGED_CHANNEL, () => {
    loads.run().catch((error: Error) => logger.error({ err: error.message }, "could not reload the authorities"));
  });
  await loads.run().catch(async (error) => {
    await unlisten();
    throw error;
  });
  return {
    current: () => current!,
    reload: loads.run,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      listeners.clear();
      await unlisten();
      await loads.idle();
    },
  };
}
