import { useEffect } from "react";
import { appRoutes } from "../../routes.ts";
import { mayAll, useSession } from "../session.ts";

/** The time after which screens are loaded ahead, so that the first one is complete before. */
const AHEAD_MS = 4_000;

/** Loads the screens that the user may open, while the browser has nothing else to do. */
export function usePreloadedScreens(): void {
  const session = useSession();
  useEffect(() => {
    const pages = appRoutes.filter(({ open, operations }) => !open && mayAll(session, operations));
    let timer = setTimeout(function next() {
      const page = pages.shift()?.page;
      if (page === undefined || saves()) return;
      void page().then(
        () => {
          timer = setTimeout(next, 100);
        },
        () => undefined,
      );
    }, AHEAD_MS);
    return () => clearTimeout(timer);
  }, [session]);
}

/** Whether the user asked the browser to save data. */
function saves(): boolean {
  return (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;
}
