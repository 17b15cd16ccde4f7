import { findCycles } from "./cycles.ts";

/** An import of one file by another, both as paths below the root. */
export interface Edge {
  from: string;
  to: string;
  line: number;
}

/** Sub-folders of one folder that import each other. */
export interface FolderCycle {
  /** A closed walk of folders, such as `["a/x", "a/y", "a/x"]`. */
  walk: string[];
  /** The import to remove: one of the step that has the fewest. */
  upward: Edge;
}

/**
 * Finds sub-folders of a folder that import each other, directly or not, although no file does. Files directly in a
 * folder belong to no sub-folder.
 * @param home the folder below which to search, with a `/` at its end
 */
export function findFolderCycles(home: string, edges: readonly Edge[]): FolderCycle[] {
  const steps = edges.flatMap((edge) => stepOf(home, edge) ?? []);
  const bySteps = Map.groupBy(steps, ({ from, to }) => `${from} ${to}`);
  const importsOf = (walk: string[]) => walk.slice(1).map((to, at) => bySteps.get(`${walk[at]} ${to}`)!);
  const graph = Map.groupBy(steps, ({ from }) => from);
  const cycles = findCycles(new Map([...graph].map(([from, of]) => [from, [...new Set(of.map(({ to }) => to))]])));
  return cycles.map((walk) => {
    const [fewest] = importsOf(walk).sort((a, b) => a.length - b.length);
    return { walk, upward: fewest![0]!.edge };
  });
}

interface Step {
  from: string;
  to: string;
  edge: Edge;
}

/** Returns the step between two sub-folders of the innermost folder that contains both files, if there is one. */
function stepOf(home: string, edge: Edge): Step | undefined {
  const [from, to] = [edge.from.split("/"), edge.to.split("/")];
  let depth = 0;
  while (depth < from.length - 1 && from[depth] === to[depth]) depth++;
  const isWithin = edge.from.startsWith(home) && edge.to.startsWith(home);
  if (!isWithin || depth >= from.length - 1 || depth >= to.length - 1) return undefined;
  const folder = (path: string[]) => path.slice(0, depth + 1).join("/");
  return { from: folder(from), to: folder(to), edge };
}
