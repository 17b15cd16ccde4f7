import { TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/account.ts";
import {
  confirmFactor,
  factorsQuery,
  type NewFactor,
  type OwnFactors,
  removeFactor,
  startFactor,
} from "../../../api/people/factors.ts";
import { Asks } from "../../../parts/act/confirm.tsx";
import { useAct } from "../../../parts/act/use-act.tsx";
import { Form, useFields } from "../../../parts/form/form.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Action, CopyButton, Dialog, Facts, QrCode, Status, Time } from "../../../ui/ui.ts";
import { OwnRecoveryCodes, RecoveryCodes } from "./recovery-codes.tsx";
import "./set-up-factor.css";

export function SecondFactor() {
  const [begun, setBegun] = useState<NewFactor>();
  const { act, busy, problem } = useAct();
  // The service may ask for the password first.
  const start = () => void act(async () => setBegun(await startFactor()));
  const close = () => setBegun(undefined);
  return (
    <>
      <Loaded query={useQuery(factorsQuery)}>{(own) => <Present own={own} onStart={start} busy={busy} />}</Loaded>
      {problem}
      <Dialog title={t.setUpAnApp} keep opened={begun !== undefined} onClose={close}>
        {begun && <SetUp begun={begun} onClose={close} />}
      </Dialog>
    </>
  );
}

const Passkeys = lazy(() => import("./passkeys.tsx"));

function Present({ own, onStart, busy }: { own: OwnFactors; onStart: () => void; busy: boolean }) {
  const [app] = own.items;
  const hasFactor = app !== undefined || own.passkeys.length > 0;
  return (
    <>
      {app ? (
        <AppIsOn own={own} app={app} onReplace={onStart} replacing={busy} />
      ) : (
        <>
          <Facts facts={{ [t.authenticatorApp]: <Status of={[own.mandatory ? "warn" : "neutral", t.off]} /> }} />
          <div>
            <Action main={!hasFactor} label={t.setUpAnApp} onClick={onStart} loading={busy} />
          </div>
        </>
      )}
      <Suspense fallback={null}>
        <Passkeys own={own} />
      </Suspense>
      {hasFactor && <OwnRecoveryCodes left={own.recoveryCodesLeft} />}
    </>
  );
}

/** Shows the secret of an authenticator app, asks for one of its codes, and shows the recovery codes once. */
function SetUp({ begun, onClose }: { begun: NewFactor; onClose: () => void }) {
  const queries = useQueryClient();
  const [codes, setCodes] = useState<readonly string[]>();
  const [form, field] = useFields({ code: "" }, "confirmFactor");
  const submit = async ({ code }: { code: string }) => {
    setCodes(await confirmFactor(begun.id, code));
    await queries.invalidateQueries();
  };
  if (codes) return <RecoveryCodes codes={codes} onDone={onClose} />;
  return (
    <Form form={form} onSubmit={submit} action={t.turnOn} onCancel={onClose}>
      <p>{t.scanThisWithAnAuthenticator}</p>
      <QrCode label={t.qrCodeForTheAuthenticator} text={begun.uri} />
      <div>
        <p className="soft">{t.orTypeThisKeyInto}</p>
        <div className="row">
          <code className="factor-secret framed" data-secret>
            {begun.secret.match(/.{1,4}/g)!.join(" ")}
          </code>
          <CopyButton text={begun.secret} />
        </div>
      </div>
      <TextInput
        label={common.code}
        description={t.sixDigitsThatTheApp}
        autoComplete="one-time-code"
        inputMode="numeric"
        data-autofocus
        {...field("code")}
      />
    </Form>
  );
}

interface AppIsOnProps {
  own: OwnFactors;
  app: OwnFactors["items"][number];
  onReplace: () => void;
  replacing: boolean;
}

/** An active authenticator app and the acts on it. */
function AppIsOn({ own, app, onReplace, replacing }: AppIsOnProps) {
  const queries = useQueryClient();
  const isLast = own.passkeys.length === 0;
  // The rights of the user may change with the factor, so everything is read again.
  const remove = async () => {
    await removeFactor(app.id);
    await queries.invalidateQueries();
  };
  const facts = {
    [t.authenticatorApp]: <Status of={["good", t.on]} />,
    [common.since]: <Time at={app.createdAt} />,
  };
  return (
    <>
      <Facts facts={facts} />
      <div className="row">
        <Action label={t.useAnotherApp} onClick={onReplace} loading={replacing} />
        <Asks
          label={t.turnOff}
          disabled={own.mandatory && isLast}
          title={t.turnOffTheApp}
          action={t.turnOff}
          run={remove}
          done={t.theAppIsOff}
        >
          <p>{isLast ? t.thenYourPasswordAloneSigns : t.thenAPasskeyIsYour}</p>
        </Asks>
      </div>
      {own.mandatory && isLast && <p className="soft">{t.yourTenantRequiresASecond}</p>}
    </>
  );
}
