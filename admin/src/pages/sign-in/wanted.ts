/** The key of the address that the user wanted before the sign-in at the provider; it lives as long as the tab. */
const KEY = "muster-wanted";

/** Keeps the address while the browser is at the provider. */
export function keepWanted(next: unknown): void {
  sessionStorage.setItem(KEY, typeof next === "string" ? next : "/");
}

/** Returns the kept address, once. It is checked like one of a link before it is opened. */
export function takeWanted(): string {
  const kept = sessionStorage.getItem(KEY) ?? "/";
  sessionStorage.removeItem(KEY);
  return kept;
}
