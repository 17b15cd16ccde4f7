import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { confirmFactor, type NewFactor } from "../../../api/people/factors.ts";
import { Form } from "../../../parts/form/form.tsx";
import { rulesOf } from "../../../parts/form/rules.ts";
import { QrCode } from "../../../ui/display/qr-code.tsx";
import { CopyButton } from "../../../ui/input/copy.tsx";
import { Dialog } from "../../../ui/input/dialog.tsx";
import { useAccountChanged } from "../use-account-changed.ts";
import { RecoveryCodes } from "./recovery-codes.tsx";
import "./set-up-factor.css";

interface SetUpFactorProps {
  /** Absent while nothing is being set up. */
  begun: NewFactor | undefined;
  onClose: () => void;
}

/** Shows the secret of a second factor, asks for a code of it, and shows the recovery codes once. */
export function SetUpFactor({ begun, onClose }: SetUpFactorProps) {
  const [codes, setCodes] = useState<readonly string[]>();
  const close = () => {
    setCodes(undefined);
    onClose();
  };
  return (
    <Dialog
      title={codes ? "Your recovery codes" : "Set up a second factor"}
      keep
      opened={begun !== undefined}
      onClose={close}
    >
      {codes && <RecoveryCodes codes={codes} onDone={close} />}
      {begun && !codes && <Confirmation begun={begun} onConfirmed={setCodes} onCancel={close} />}
    </Dialog>
  );
}

interface ConfirmationProps {
  begun: NewFactor;
  onConfirmed: (codes: readonly string[]) => void;
  onCancel: () => void;
}

function Confirmation({ begun, onConfirmed, onCancel }: ConfirmationProps) {
  const changed = useAccountChanged();
  const form = useForm({
    mode: "controlled",
    initialValues: { code: "" },
    validate: rulesOf("confirmFactor", ["code"]),
  });
  const submit = async ({ code }: typeof form.values) => {
    onConfirmed(await confirmFactor(begun.id, code));
    await changed();
  };
  return (
    <Form form={form} onSubmit={submit} action="Turn on" onCancel={onCancel}>
      <p>Scan this with an authenticator app on your phone.</p>
      <QrCode label="QR code for the authenticator app" text={begun.uri} />
      <div>
        <p className="soft">Or type this key into the app:</p>
        <div className="row">
          <code className="factor-secret" data-secret>
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
        {...form.getInputProps("code")}
      />
    </Form>
  );
}
