import { useEffect } from "react";
import { t } from "#texts/parts.ts";
import { Empty, Page } from "../ui/ui.ts";
import { ProblemBox } from "./problem-box.tsx";
import { NotLoaded } from "./shell/load-code.ts";

const RELOADED = "muster-reloaded-at";
const ONCE_MS = 60_000;
const PROBE_MS = 2_000;

/** The reason why a user does not see a screen whose operations the service would refuse. */
export class NotPermitted extends Error {}

/** A screen that cannot be shown. */
export function RouteProblem({ error }: { error: unknown }) {
  if (error instanceof NotPermitted) return <Forbidden />;
  if (error instanceof NotLoaded && !wasReloaded()) return <Reload />;
  return (
    <Page title={t.thisScreenCannotBeShown}>
      <ProblemBox error={error instanceof NotLoaded ? error.cause : error} />
    </Page>
  );
}

/** Whether the page was reloaded for a screen within the last minute. */
const wasReloaded = () => Date.now() - Number(sessionStorage.getItem(RELOADED)) < ONCE_MS;

/**
 * Reloads the page for a screen whose code an update of the service has replaced. While the service does not answer, it
 * waits: the browser would show its own error page.
 */
function Reload() {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const probe = async () => {
      try {
        await fetch("/healthz", { cache: "no-store" });
        sessionStorage.setItem(RELOADED, String(Date.now()));
        location.reload();
      } catch {
        timer = setTimeout(probe, PROBE_MS);
      }
    };
    void probe();
    return () => clearTimeout(timer);
  }, []);
  return (
    <Page title={t.reconnecting}>
      <p role="status">{t.thePageContinues}</p>
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
