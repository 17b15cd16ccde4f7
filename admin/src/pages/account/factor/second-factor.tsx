import { TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
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
import {
  Action,
  CopyButton,
  Dialog,
  DownloadButton,
  Facts,
  plural,
  QrCode,
  ShownOnce,
  Status,
  Time,
} from "../../../ui/ui.ts";
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
      <Dialog title="Set up a second factor" keep opened={begun !== undefined} onClose={close}>
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
        <Status of={[own.mandatory ? "warn" : "neutral", "Off"]} />
      </div>
      <div>
        <Action main label="Set up a second factor" onClick={onStart} loading={busy} />
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
    <Form form={form} onSubmit={submit} action="Turn on" onCancel={onClose}>
      <p>Scan this with an authenticator app on your phone.</p>
      <QrCode label="QR code for the authenticator app" text={begun.uri} />
      <div>
        <p className="soft">Or type this key into the app:</p>
        <div className="row">
          <code className="factor-secret framed" data-secret>
            {begun.secret.match(/.{1,4}/g)!.join(" ")}
          </code>
          <CopyButton text={begun.secret} />
        </div>
      </div>
      <TextInput
        label="Code"
        description="Six digits that the app shows now."
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
    State: <Status of={["good", "On"]} />,
    Since: <Time at={factor.createdAt} />,
    "Recovery codes": <Status of={[left <= FEW ? "warn" : "neutral", left === 0 ? "none left" : `${left} left`]} />,
  };
  return (
    <>
      <Facts facts={facts} />
      <div className="row">
        <Asks label="New recovery codes" title="Make new recovery codes?" action="Make new codes" run={renew}>
          <p>
            {left === 0
              ? "You get ten new ones."
              : `You get ten new ones. The ${plural(left, "former code")} you have stop at once.`}
          </p>
        </Asks>
        <Action label="Use another app" onClick={onReplace} loading={replacing} />
        <Asks
          label="Turn off"
          disabled={mandatory}
          title="Turn off your second factor?"
          action="Turn off"
          run={remove}
          done="Your second factor is off."
        >
          <p>Then your password alone signs in. Your recovery codes stop.</p>
        </Asks>
      </div>
      {mandatory && (
        <p className="soft">Your tenant requires a second factor of its administrators: it cannot be turned off.</p>
      )}
      <Dialog title="Your recovery codes" opened={codes !== undefined} onClose={() => setCodes(undefined)}>
        {codes && <RecoveryCodes codes={codes} onDone={() => setCodes(undefined)} />}
      </Dialog>
    </>
  );
}

function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const { user } = useSession();
  const text = codes.map((code) => `${code}\n`).join("");
  const file = `Recovery codes of ${user.email} at ${location.host}\nEach is accepted once.\n\n${text}`;
  return (
    <ShownOnce title="Your recovery codes" done="I have stored them" onDone={onDone}>
      <div className="secret stack-tight">
        <p>
          <strong>Store these codes now: they are not shown again.</strong> Without your phone, each of them signs you
          in once. A person who has one needs only your password.
        </p>
        <ul className="recovery-codes list" aria-label="Recovery codes" data-secret>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <div className="row">
          <CopyButton text={text} label="Copy all" />
          <DownloadButton name="muster-recovery-codes.txt" content={file} />
        </div>
      </div>
    </ShownOnce>
  );
}
