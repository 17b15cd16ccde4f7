import { useEffect } from "react";
import { t } from "#texts/parts.ts";
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
    <Page title={t.thisScreenCannotBeShown}>
      <ProblemBox error={error} />
    </Page>
  );
}

export function NotFound() {
  return (
    <Page title={t.notFound}>
      <Empty title={t.thereIsNoSuchPage} action={<a href="/">{t.goToTheFirstPage}</a>}>
        {t.itsAddressMayHaveBeen}
      </Empty>
    </Page>
  );
}
