import { useQueryClient } from "@tanstack/react-query";
import { Outlet, useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { handleAnswers } from "../api/send.ts";
import { forgetSession } from "../api/session.ts";
import { useAppLinks } from "./links/links.ts";
import { requestStepUp } from "./step-up/step-up.ts";
import { StepUpDialog } from "./step-up/step-up-dialog.tsx";
import { Toasts } from "./toasts.tsx";

/** Around every screen, with and without a session. */
export function RootFrame() {
  const router = useRouter();
  const queries = useQueryClient();
  useAppLinks();
  useFocusOnNavigation();
  useEffect(() => {
    const signedOut = async () => {
      await forgetSession(queries);
      // The guard of the screen finds no session, and leads to the sign-in and back.
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

/** After a navigation the heading has the focus, so that a screen reader begins there. */
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
