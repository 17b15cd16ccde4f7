import { useEffect } from "react";
import { Page } from "../ui/page/page.tsx";
import { ProblemBox } from "./problem-box.tsx";

const RELOADED = "muster-reloaded-at";
const ONCE_MS = 60_000;

/** A screen that could not be shown. Code that an update of the service has replaced is loaded by loading the page again, once. */
export function RouteProblem({ error }: { error: unknown }) {
  const outdated = error instanceof TypeError && /dynamically imported module|module script/i.test(error.message);
  useEffect(() => {
    const before = Number(sessionStorage.getItem(RELOADED));
    if (!outdated || Date.now() - before < ONCE_MS) return;
    sessionStorage.setItem(RELOADED, String(Date.now()));
    location.reload();
  }, [outdated]);
  return (
    <Page title="This screen cannot be shown">
      <ProblemBox error={error} />
    </Page>
  );
}
