import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { t } from "#texts/pages/settings/single-sign-on.ts";
import type { Schemas } from "../../api/client.ts";
import {
  removeSingleSignOn,
  SINGLE_SIGN_ON,
  type SingleSignOn,
  singleSignOnQuery,
  startProviderTest,
} from "../../api/people/single-sign-on.ts";
import { Asks } from "../../parts/act/confirm.tsx";
import { useAct } from "../../parts/act/use-act.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { atProvider } from "../../parts/step-up/provider-window.ts";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Action, CopyButton, Facts, Notice, Page, Section, Status, Time } from "../../ui/ui.ts";
import { ROLES } from "../../words/roles.ts";
import { ProviderForm } from "./provider-form.tsx";

/** The identity provider of the tenant: its connection, the test of it, and who comes in how. */
export default function SingleSignOnPage() {
  return (
    <Page title={t.title} lead={t.lead} narrow>
      <Loaded query={useQuery(singleSignOnQuery)}>
        {(opened) => (
          <>
            <Facts framed facts={factsOf(opened.record)} />
            <ProviderForm key={opened.record.provider?.issuer ?? "new"} opened={opened} />
            {opened.record.provider && (
              <Section title={t.test} lead={t.testHint}>
                <TestOfProvider />
                <div className="row">
                  <Asks
                    danger
                    label={t.remove}
                    title={t.remove}
                    action={t.remove}
                    run={removeSingleSignOn}
                    done={t.removed}
                    refreshes={[SINGLE_SIGN_ON]}
                  >
                    <p>{t.removeConsequence}</p>
                  </Asks>
                </div>
              </Section>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function factsOf({ provider, redirectUri, logoutUri }: SingleSignOn) {
  return {
    [t.title]: <Status of={provider?.enabled ? ["good", t.on] : ["neutral", t.off]} />,
    [t.testedAt]: provider?.testedAt ? <Time at={provider.testedAt} /> : t.neverTested,
    [t.redirectUri]: <Address text={redirectUri} />,
    [t.logoutUri]: <Address text={logoutUri} />,
  };
}

function Address({ text }: { text: string }) {
  return (
    <span className="row">
      <span className="mono">{text}</span>
      <CopyButton text={text} />
    </span>
  );
}

/** Signs in at the provider in a window of its own, and shows what the provider says. */
function TestOfProvider() {
  const refresh = useRefresh();
  const [result, setResult] = useState<Schemas["ProviderTest"]>();
  const { act, busy, problem } = useAct();
  const run = () =>
    act(async () => {
      setResult(undefined);
      const end = await atProvider(startProviderTest());
      if (end.done) setResult(end.result as Schemas["ProviderTest"]);
      await refresh(SINGLE_SIGN_ON);
    });
  return (
    <>
      <div className="row">
        <Action label={t.test} loading={busy} onClick={() => void run()} />
      </div>
      {problem}
      {result && (
        <Notice tone="good" live>
          <p>
            {t.tested(
              result.email ?? result.subject,
              (result.role && ROLES[result.role as keyof typeof ROLES]) || t.none,
            )}
          </p>
          {result.emailVerified !== true && <p>{t.notVerified}</p>}
        </Notice>
      )}
    </>
  );
}
