import { TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/account.ts";
import {
  confirmFactor,
  factorsQuery,
  type NewFactor,
  type OwnFactors,
  removeFactor,
  renewRecoveryCodes,
  startFactor,
} from "../../../api/people/factors.ts";
import { Asks } from "../../../parts/act/confirm.tsx";
import { useAct } from "../../../parts/act/use-act.tsx";
import { Form, useFields } from "../../../parts/form/form.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { useSession } from "../../../parts/session.ts";
import { Action, CopyButton, Dialog, DownloadButton, Facts, QrCode, ShownOnce, Status, Time } from "../../../ui/ui.ts";
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
      <Dialog title={t.setUpASecondFactor} keep opened={begun !== undefined} onClose={close}>
        {begun && <SetUp begun={begun} onClose={close} />}
      </Dialog>
    </>
  );
}

function Present({ own, onStart, busy }: { own: OwnFactors; onStart: () => void; busy: boolean }) {
  const [factor] = own.items;
  if (factor) return <FactorIsOn own={own} factor={factor} onReplace={onStart} replacing={busy} />;
  return (
    <>
      <div>
        <Status of={[own.mandatory ? "warn" : "neutral", t.off]} />
      </div>
      <div>
        <Action main label={t.setUpASecondFactor} onClick={onStart} loading={busy} />
      </div>
    </>
  );
}

/** Shows the secret of a second factor, asks for one of its codes, and shows the recovery codes once. */
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

/** The number of recovery codes from which new ones are advised. */
const FEW = 3;

interface FactorIsOnProps {
  own: OwnFactors;
  factor: OwnFactors["items"][number];
  onReplace: () => void;
  replacing: boolean;
}

/** An active second factor: the number of recovery codes left, and the acts on it. */
function FactorIsOn({ own, factor, onReplace, replacing }: FactorIsOnProps) {
  const queries = useQueryClient();
  const [codes, setCodes] = useState<readonly string[]>();
  const { recoveryCodesLeft: left, mandatory } = own;
  // The rights of the user may change with the factor, so everything is read again.
  const renew = async () => {
    setCodes(await renewRecoveryCodes());
    await queries.invalidateQueries();
  };
  const remove = async () => {
    await removeFactor(factor.id);
    await queries.invalidateQueries();
  };
  const facts = {
    [common.state]: <Status of={["good", t.on]} />,
    [common.since]: <Time at={factor.createdAt} />,
    [t.recoveryCodes]: <Status of={[left <= FEW ? "warn" : "neutral", left === 0 ? t.noneLeft : t.left(left)]} />,
  };
  return (
    <>
      <Facts facts={facts} />
      <div className="row">
        <Asks label={t.newRecoveryCodes} title={t.makeNewRecoveryCodes} action={t.makeNewCodes} run={renew}>
          <p>{left === 0 ? t.youGetTenNewOnes : t.youGetTenNewOnesThe(nouns.formerCode(left))}</p>
        </Asks>
        <Action label={t.useAnotherApp} onClick={onReplace} loading={replacing} />
        <Asks
          label={t.turnOff}
          disabled={mandatory}
          title={t.turnOffYourSecondFactor}
          action={t.turnOff}
          run={remove}
          done={t.yourSecondFactorIsOff}
        >
          <p>{t.thenYourPasswordAloneSigns}</p>
        </Asks>
      </div>
      {mandatory && <p className="soft">{t.yourTenantRequiresASecond}</p>}
      <Dialog title={t.yourRecoveryCodes} opened={codes !== undefined} onClose={() => setCodes(undefined)}>
        {codes && <RecoveryCodes codes={codes} onDone={() => setCodes(undefined)} />}
      </Dialog>
    </>
  );
}

function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const { user } = useSession();
  const text = codes.map((code) => `${code}\n`).join("");
  const file = t.recoveryCodesOfAtNeach(user.email, location.host, text);
  return (
    <ShownOnce title={t.yourRecoveryCodes} done={t.iHaveStoredThem} onDone={onDone}>
      <div className="secret stack-tight">
        <p>{t.withoutYourPhoneEachOf(<strong>{t.storeTheseCodesNowThey}</strong>)}</p>
        <ul className="recovery-codes list" aria-label={t.recoveryCodes} data-secret>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <div className="row">
          <CopyButton text={text} label={t.copyAll} />
          <DownloadButton name="muster-recovery-codes.txt" content={file} />
        </div>
      </div>
    </ShownOnce>
  );
}
