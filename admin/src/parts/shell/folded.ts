import { useState } from "react";

const KEY = "muster-folded-menu";

/** Returns whether a group of the menu is folded, and a function that changes it. The browser stores the state. */
export function useFolded(group: string): [folded: boolean, fold: (folded: boolean) => void] {
  const [folded, setFolded] = useState(() => read().includes(group));
  const fold = (now: boolean) => {
    setFolded(now);
    const others = read().filter((each) => each !== group);
    localStorage.setItem(KEY, JSON.stringify(now ? [...others, group] : others));
  };
  return [folded, fold];
}

function read(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.map(String) : [];
  } catch {
    return [];
  }
}
