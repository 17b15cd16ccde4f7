import { useQueryClient } from "@tanstack/react-query";
import { Outlet, useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { handleAnswers } from "../api/send.ts";
import { forgetSession } from "../api/session.ts";
import { requestStepUp } from "./step-up/step-up.ts";
import { StepUpDialog } from "./step-up/step-up-dialog.tsx";
import { Toasts } from "./toasts.tsx";

/** The frame around every screen, with and without a session. */
export function RootFrame() {
  const router = useRouter();
  const queries = useQueryClient();
  useAppLinks();
  useFocusOnNavigation();
  useEffect(() => {
    const signedOut = async () => {
      await forgetSession(queries);
      // The route guard redirects to sign-in, and back afterwards.
      await router.invalidate();
    };
    handleAnswers({ stepUp: requestStepUp, signedOut: () => void signedOut() });
  }, [router, queries]);
  return (
    <>
      <Outlet />
      <StepUpDialog />
      <Toasts />
    </>
  );
}

/** Focuses the heading after a navigation, so that a screen reader begins there. */
function useFocusOnNavigation(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe("onResolved", ({ pathChanged, fromLocation }) => {
        if (pathChanged && fromLocation) document.querySelector("h1")?.focus({ preventScroll: true });
      }),
    [router],
  );
}

/** The addresses of the service that are no screens. */
const ELSEWHERE = /^\/(docs|openapi|assets|api|healthz|readyz|metrics)(\/|$)/;

/**
 * Makes plain links (`<a href="/devices">`) navigate within the app, so that no component needs the router. Clicks with
 * a modifier, downloads and other targets stay with the browser. The code of a screen is loaded when the pointer or the
 * focus is on its link.
 */
function useAppLinks(): void {
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

/** Returns the path of the link around `target`; undefined if it is no link within the app. */
function appLink(target: EventTarget | null): string | undefined {
  const link = target instanceof Element ? target.closest("a") : null;
  if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return undefined;
  return ELSEWHERE.test(link.pathname) ? undefined : link.pathname + link.search + link.hash;
}
