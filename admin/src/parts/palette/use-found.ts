/** An entry of the palette. */
export interface Entry {
  href: string;
  title: string;
  note: string;
}

/** Records whose name or id contains `text`. */
export function useFound(_text: string): readonly Entry[] {
  return [];
}
