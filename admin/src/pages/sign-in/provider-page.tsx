import { useQueryClient } from "@tanstack/react-query";
import { useParams, useRouter } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { t } from "#texts/pages/settings/single-sign-on.ts";
import {
  completeProviderSignIn,
  completeProviderStepUp,
  type ProviderAnswer,
} from "../../api/people/provider-sign-in.ts";
import { completeProviderTest } from "../../api/people/single-sign-on.ts";
import { isComplete, startSession } from "../../api/session.ts";
import { useEnter } from "../../parts/enter.ts";
import { OpenFrame } from "../../parts/open-frame.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { endAtProvider } from "../../parts/step-up/provider-window.ts";
import { takeWanted } from "./wanted.ts";

/**
 * The page to which an identity provider sends the browser. It brings the answer to the service, which verifies it; the
 * first letter of the state tells what the sign-in was for.
 */
export default function ProviderPage() {
  const complete = useComplete();
  const { tenantId } = useParams({ strict: false }) as { tenantId: string };
  const [error, setError] = useState<unknown>();
  const [isOver, setOver] = useState(false);
  const begun = useRef(false);
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    const query = location.search.slice(1);
    // The code is used up: it stays neither in the history nor in the address.
    history.replaceState(history.state, "", location.pathname);
    complete({ tenantId, query }).then(setOver, setError);
  }, [complete, tenantId]);
  return (
    <OpenFrame title={error === undefined ? t.signingIn : t.theSignInFailed}>
      {error !== undefined && (
        <>
          <ProblemBox error={error} />
          <p>
            <a href="/sign-in">{t.backToTheSignIn}</a>
          </p>
        </>
      )}
      {error === undefined && <p role="status">{isOver ? t.youCanCloseThisWindow : t.oneMoment}</p>}
    </OpenFrame>
  );
}

/** Returns the function that completes what was begun. It resolves to whether the window is of no more use. */
function useComplete(): (answer: ProviderAnswer) => Promise<boolean> {
  const enter = useEnter();
  const queries = useQueryClient();
  const router = useRouter();
  return async (answer) => {
    const purpose = new URLSearchParams(answer.query).get("state")?.[0];
    if (purpose === "v") {
      await completeProviderStepUp(answer);
      endAtProvider({ done: true });
      return true;
    }
    if (purpose === "t") {
      endAtProvider({ done: true, result: await completeProviderTest(answer) });
      return true;
    }
    const session = await completeProviderSignIn(answer);
    const next = takeWanted();
    if (isComplete(session)) await enter(session, next);
    else {
      await startSession(queries, session);
      await router.navigate({ href: `/sign-in?${new URLSearchParams({ next })}`, replace: true });
    }
    return false;
  };
}
