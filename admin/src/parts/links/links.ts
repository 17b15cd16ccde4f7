import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";

/** Addresses of the service that are no screens. */
const ELSEWHERE = /^\/(docs|openapi|assets|api|healthz|readyz|metrics)(\/|$)/;

/**
 * Makes plain links (`<a href="/devices">`) navigate within the app, so that no component needs the router. Clicks with a modifier,
 * downloads and other targets stay the browser's. The code of a screen is loaded when the pointer or the focus is on its link.
 */
export function useAppLinks(): void {
  const router = useRouter();
  useEffect(() => {
    const click = (event: MouseEvent) => {
      const link = appLink(event.target);
      if (!link || event.defaultPrevented || event.button !== 0) return;
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      void router.navigate({ href: link });
    };
    const preload = (event: Event) => {
      const link = appLink(event.target);
      if (link) void router.preloadRoute({ to: link.split(/[?#]/, 1)[0]! }).catch(() => undefined);
    };
    document.addEventListener("click", click);
    document.addEventListener("pointerover", preload, { passive: true });
    document.addEventListener("focusin", preload);
    return () => {
      document.removeEventListener("click", click);
      document.removeEventListener("pointerover", preload);
      document.removeEventListener("focusin", preload);
    };
  }, [router]);
}

/** The path of the link that `target` is in; `undefined` for what is no link within the app. */
function appLink(target: EventTarget | null): string | undefined {
  const link = target instanceof Element ? target.closest("a") : null;
  if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return undefined;
  return ELSEWHERE.test(link.pathname) ? undefined : link.pathname + link.search + link.hash;
}
