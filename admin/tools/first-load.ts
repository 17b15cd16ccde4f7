import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** The limit of what a browser fetches before a page is usable, compressed with brotli. */
export const MOST_FIRST_LOAD_BYTES = 240_000;

interface Chunk {
  file: string;
  isEntry?: boolean;
  isDynamicEntry?: boolean;
  imports?: string[];
  css?: string[];
}

/**
 * Returns the largest first load of any page of the build in `folder`: the HTML, the entry, and the page's own chunks.
 * Parts that a page loads on demand, such as the chart, do not count.
 */
export function firstLoad(folder: string): { bytes: number; page: string } {
  const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as Record<string, Chunk>;
  const names = Object.keys(manifest);
  const entry = names.find((name) => manifest[name]!.isEntry)!;
  const pages = names.filter((name) => manifest[name]!.isDynamicEntry && /^src\/pages\//.test(name));
  const html = statSync(join(folder, "index.html")).size;
  const loads = (pages.length > 0 ? pages : [entry]).map((page) => {
    const files = new Set([...filesOf(manifest, entry), ...filesOf(manifest, page)]);
    return { page, bytes: [...files].reduce((sum, file) => sum + sizeOf(folder, file), html) };
  });
  return loads.reduce((most, load) => (load.bytes > most.bytes ? load : most));
}

/** Returns the script and style files of a chunk and of all its static imports. */
function filesOf(manifest: Record<string, Chunk>, name: string, seen = new Set<string>()): Set<string> {
  const chunk = manifest[name]!;
  if (seen.has(chunk.file)) return seen;
  seen.add(chunk.file);
  for (const css of chunk.css ?? []) seen.add(css);
  for (const imported of chunk.imports ?? []) filesOf(manifest, imported, seen);
  return seen;
}

function sizeOf(folder: string, file: string): number {
  const path = join(folder, file);
  return statSync(existsSync(`${path}.br`) ? `${path}.br` : path).size;
}
