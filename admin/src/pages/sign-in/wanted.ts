/** The key of the page to open after a sign-in at the provider. The browser keeps it until the tab is closed. */
const KEY = "muster-wanted";

/** Keeps the address while the browser is at the provider. */
export function keepWanted(next: unknown): void {
  sessionStorage.setItem(KEY, typeof next === "string" ? next : "/");
}

/** Returns the stored address and deletes it. The caller checks it like an address from a link before opening it. */
export function takeWanted(): string {
  const kept = sessionStorage.getItem(KEY) ?? "/";
  sessionStorage.removeItem(KEY);
  return kept;
}
