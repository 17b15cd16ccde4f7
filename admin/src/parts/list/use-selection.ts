import { useState } from "react";

const NONE: ReadonlySet<string> = new Set();

/**
 * Holds the selected records of a page; another page begins with none.
 * @param rows the records that can stay selected; all of them, if absent
 */
export function useSelection(query: object, rows?: readonly { id: string }[]) {
  const shown = JSON.stringify(query);
  const [{ of, selected }, set] = useState({ of: shown, selected: NONE });
  const change = (next: ReadonlySet<string>) => set({ of: shown, selected: next });
  const ids = rows && new Set(rows.map(({ id }) => id));
  const kept = ids ? new Set([...selected].filter((id) => ids.has(id))) : selected;
  return [of === shown ? kept : NONE, change] as const;
}
