import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { appRoutes } from "../../routes.ts";

const SEQUENCE_MS = 1000;

/**
 * Handles the keyboard: Ctrl-K opens the palette, `?` the sheet of shortcuts, `/` goes to the filter of the list, `g`
 * and a letter open a screen.
 */
export function useShortcuts({ openPalette, openSheet }: { openPalette: () => void; openSheet: () => void }): void {
  const router = useRouter();
  useEffect(() => {
    let goUntil = 0;
    const press = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        return openPalette();
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.timeStamp < goUntil) {
        goUntil = 0;
        const path = appRoutes.find(({ menu }) => menu?.key === event.key)?.path;
        if (path) void router.navigate({ to: path });
      } else if (event.key === "g") goUntil = event.timeStamp + SEQUENCE_MS;
      else if (event.key === "?") openSheet();
      else if (event.key === "/") focusFilter(event);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [router, openPalette, openSheet]);
}

function focusFilter(event: KeyboardEvent): void {
  const filter = document.querySelector<HTMLElement>('[data-filter="text"]');
  if (!filter) return;
  event.preventDefault();
  filter.focus();
}

/** Whether the keys belong to a field or a dialog. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, textarea, select, dialog") !== null;
}
