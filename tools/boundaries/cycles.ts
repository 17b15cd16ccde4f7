/**
 * Finds import cycles: every file that imports itself, directly or not, is on one of the returned paths.
 * @param graph file → the files it imports
 * @returns closed walks such as `["a.ts", "b.ts", "a.ts"]`, the shortest possible, ordered by their first files
 */
export function findCycles(graph: Map<string, string[]>): string[][] {
  const cycles: string[][] = [];
  const found = new Set<string>();
  for (const file of [...graph.keys()].sort()) {
    if (found.has(file)) continue;
    const cycle = shortestWalkBack(graph, file);
    if (!cycle) continue;
    for (const member of cycle) found.add(member);
    cycles.push(cycle);
  }
  return cycles;
}

function shortestWalkBack(graph: Map<string, string[]>, start: string): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    for (const next of graph.get(file) ?? []) {
      if (next === start) return [...walkTo(cameFrom, start, file), start];
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, file);
      queue.push(next);
    }
  }
  return undefined;
}

function walkTo(cameFrom: Map<string, string>, start: string, end: string): string[] {
  const walk = [end];
  while (walk[0] !== start) walk.unshift(cameFrom.get(walk[0]!)!);
  return walk;
}
