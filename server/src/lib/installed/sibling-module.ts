import { extname } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Returns the URL of the module `name` beside the module `from` (its `import.meta.url`), which a thread or a process
 * starts. It ends in `.ts` in a clone and in `.js` in the published package.
 */
export function siblingModule(name: string, from: string): URL {
  return new URL(`./${name}${extname(fileURLToPath(from))}`, from);
}
