/**
 * Turns a look-up of many keys into one of a single key. The keys requested in one turn of the event loop are looked up
 * together, at most `most` at a time.
 */
export function inBatches<Value>(
  most: number,
  lookUp: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): (key: string) => Promise<Value | undefined> {
  let batch: { keys: Set<string>; found: Promise<ReadonlyMap<string, Value>> } | undefined;
  const begin = () => {
    const keys = new Set<string>();
    const found = new Promise<void>((resolve) => setTimeout(resolve)).then(() => {
      if (batch?.keys === keys) batch = undefined;
      return lookUp([...keys]);
    });
    return { keys, found };
  };
  return async (key) => {
    if (batch === undefined || batch.keys.size >= most) batch = begin();
    batch.keys.add(key);
    return (await batch.found).get(key);
  };
}
