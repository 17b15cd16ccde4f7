import type { Dependents } from "./dependency-store.ts";

/**
 * Returns what the page of a silent device adds about those that depend on it: `12 devices that depend on it are silent
 * too: Sensor 1, Sensor 2`. They do not page.
 */
export function dependentsText({ names, count }: Dependents): string {
  const more = count > names.length ? ` and ${count - names.length} more` : "";
  const devices = count === 1 ? "1 device that depends on it is" : `${count} devices that depend on it are`;
  return `${devices} silent too: ${names.join(", ")}${more}`;
}
