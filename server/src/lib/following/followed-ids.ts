/** Followers of ids: live streams, for example, which end with a session or an API key. */
export interface FollowedIds {
  /**
   * Calls `ended` once, when the session or key with this id ends: immediately on NOTIFY, or at the next check if it
   * expired or a NOTIFY was lost.
   *
   * @returns a function that stops following
   */
  follow(id: string, ended: () => void): Promise<() => void>;
  /** Checks every followed id in one statement; called every ten seconds. */
  check(): Promise<void>;
  /** Stops listening. */
  stop(): Promise<void>;
}

interface Source {
  /** Calls `end` with each id that ends. @returns a function that stops listening */
  listen(end: (id: string) => void): Promise<() => Promise<void>>;
  /** Returns those of `ids` that have not ended. */
  findOpen(ids: string[]): Promise<ReadonlySet<string>>;
}

export function createFollowedIds({ listen, findOpen }: Source): FollowedIds {
  const followers = new Map<string, Set<() => void>>();
  let listening: Promise<() => Promise<void>> | undefined;

  function listenOnce(): Promise<() => Promise<void>> {
    listening ??= listen(end).catch((error) => {
      listening = undefined;
      throw error;
    });
    return listening;
  }

  function end(id: string): void {
    const ending = followers.get(id) ?? [];
    followers.delete(id);
    for (const ended of ending) ended();
  }

  async function check(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    const open = await findOpen(ids);
    for (const id of ids) if (!open.has(id)) end(id);
  }

  return {
    async follow(id, ended) {
      await listenOnce();
      const ofId = followers.get(id) ?? new Set();
      followers.set(id, ofId.add(ended));
      const leave = () => {
        ofId.delete(ended);
        if (ofId.size === 0 && followers.get(id) === ofId) followers.delete(id);
      };
      // The id may have ended between the check of the request and this call.
      await check([id]).catch((error) => {
        leave();
        throw error;
      });
      return leave;
    },
    check: () => check([...followers.keys()]),
    stop: async () => await (await listening?.catch(() => undefined))?.(),
  };
}
