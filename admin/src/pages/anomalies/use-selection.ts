import { useState } from "react";

const NONE: ReadonlySet<string> = new Set();

/** Which records of the page are selected: another page begins with none, and a record that leaves the page is selected no more. */
export function useSelection(query: object, rows: readonly { id: string }[] | undefined) {
  const shown = JSON.stringify(query);
  const [{ of, selected }, set] = useState({ of: shown, selected: NONE });
  const change = (next: ReadonlySet<string>) => set({ of: shown, selected: next });
  const ids = new Set(rows?.map(({ id }) => id));
  return [of === shown ? new Set([...selected].filter((id) => ids.has(id))) : NONE, change] as const;
}
