import { useEffect } from "react";
import { Empty, Page } from "../ui/ui.ts";
import { ProblemBox } from "./problem-box.tsx";

const RELOADED = "muster-reloaded-at";
const ONCE_MS = 60_000;

/** A screen that cannot be shown. If an update of the service has replaced its code, the page is reloaded once. */
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

export function NotFound() {
  return (
    <Page title="Not found">
      <Empty title="There is no such page" action={<a href="/">Go to the first page</a>}>
        Its address may have been another in an earlier version.
      </Empty>
    </Page>
  );
}
