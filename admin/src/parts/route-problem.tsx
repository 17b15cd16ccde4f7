import { useEffect } from "react";
import { t } from "#texts/parts.ts";
import { Empty, Page } from "../ui/ui.ts";
import { ProblemBox } from "./problem-box.tsx";

const RELOADED = "muster-reloaded-at";
const ONCE_MS = 60_000;

/** The reason why a user does not see a screen whose operations the service would refuse. */
export class NotPermitted extends Error {}

/** A screen that cannot be shown. If an update of the service has replaced its code, the page is reloaded once. */
export function RouteProblem({ error }: { error: unknown }) {
  const outdated = error instanceof TypeError && /dynamically imported module|module script/i.test(error.message);
  useEffect(() => {
    const before = Number(sessionStorage.getItem(RELOADED));
    if (!outdated || Date.now() - before < ONCE_MS) return;
    sessionStorage.setItem(RELOADED, String(Date.now()));
    location.reload();
  }, [outdated]);
  if (error instanceof NotPermitted) return <Forbidden />;
  return (
    <Page title={t.thisScreenCannotBeShown}>
      <ProblemBox error={error} />
    </Page>
  );
}

function Forbidden() {
  return (
    <Page title={t.notForYourRole}>
      <Empty title={t.yourRoleMayNotOpenIt} action={<a href="/">{t.goToTheFirstPage}</a>}>
        {t.anAdministratorCanChangeYourRole}
      </Empty>
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
