import { TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/passkeys.ts";
import type { OwnFactors } from "../../../api/people/factors.ts";
import { type OwnPasskey, passkeys } from "../../../api/people/passkeys.ts";
import { Asks } from "../../../parts/act/confirm.tsx";
import { Form, useFields } from "../../../parts/form/form.tsx";
import { hasPasskeys, makePasskey } from "../../../parts/passkeys/authenticator.ts";
import { Action, Ago, type Column, Dialog, Table } from "../../../ui/ui.ts";
import { browserName } from "../browser-name.ts";
import { RecoveryCodes } from "./recovery-codes.tsx";

/** The passkeys of the signed-in user, with the acts on them. */
export default function Passkeys({ own }: { own: OwnFactors }) {
  const [adding, setAdding] = useState(false);
  const [renamed, setRenamed] = useState<OwnPasskey>();
  const isLast = own.items.length === 0 && own.passkeys.length === 1;
  const columns: readonly Column<OwnPasskey>[] = [
    { title: t.passkey, main: true, cell: ({ name }) => name },
    { title: t.added, cell: ({ createdAt }) => <Ago at={createdAt} /> },
    { title: common.lastUsed, cell: ({ lastUsedAt }) => (lastUsedAt ? <Ago at={lastUsedAt} /> : t.never) },
    {
      title: common.actions,
      cell: (passkey) => (
        <div className="row">
          <Action small label={t.rename} onClick={() => setRenamed(passkey)} />
          <Remove passkey={passkey} isLast={isLast} mandatory={own.mandatory} />
        </div>
      ),
    },
  ];
  const close = () => setAdding(false);
  return (
    <>
      <h3>{t.passkeys}</h3>
      <p className="soft">{t.aPasskeyIs}</p>
      {own.passkeys.length > 0 && <Table label={t.passkeys} columns={columns} rows={own.passkeys} />}
      <div>
        <Action
          label={t.addAPasskey}
          onClick={() => setAdding(true)}
          disabled={!hasPasskeys()}
          title={hasPasskeys() ? undefined : t.thisBrowserHasNoPasskeys}
        />
      </div>
      <Dialog title={t.addAPasskey} keep opened={adding} onClose={close}>
        {adding && <Add onClose={close} />}
      </Dialog>
      <Dialog title={t.renameThePasskey} opened={renamed !== undefined} onClose={() => setRenamed(undefined)}>
        {renamed && <Rename passkey={renamed} onClose={() => setRenamed(undefined)} />}
      </Dialog>
    </>
  );
}

/** Asks for a name, then the browser for a passkey; shows the recovery codes that come with a first factor. */
function Add({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const [codes, setCodes] = useState<readonly string[]>();
  const [form, field] = useFields({ name: browserName() }, "addPasskey");
  const submit = async ({ name }: { name: string }) => {
    const passkey = await makePasskey(await passkeys.startAdding());
    const { recoveryCodes } = await passkeys.add({ name, passkey });
    if (recoveryCodes.length > 0) setCodes(recoveryCodes);
    else onClose();
    await queries.invalidateQueries();
  };
  if (codes) return <RecoveryCodes codes={codes} onDone={onClose} />;
  return (
    <Form form={form} onSubmit={submit} action={t.addAPasskey} onCancel={onClose}>
      <TextInput label={common.name} description={t.aNameByWhichYou} data-autofocus {...field("name")} />
    </Form>
  );
}

function Rename({ passkey: { id, name }, onClose }: { passkey: OwnPasskey; onClose: () => void }) {
  const [form, field] = useFields({ name }, "renamePasskey");
  const submit = (values: { name: string }) => passkeys.rename(id, values.name);
  return (
    <Form form={form} onSubmit={submit} action={t.rename} refreshes={[FACTORS]} onCancel={onClose} onDone={onClose}>
      <TextInput label={common.name} data-autofocus {...field("name")} />
    </Form>
  );
}

const FACTORS = "/api/admin/factors";

interface RemoveProps {
  passkey: OwnPasskey;
  isLast: boolean;
  mandatory: boolean;
}

function Remove({ passkey: { id, name }, isLast, mandatory }: RemoveProps) {
  const queries = useQueryClient();
  const remove = async () => {
    await passkeys.remove(id);
    await queries.invalidateQueries();
  };
  return (
    <Asks
      small
      label={common.remove}
      title={t.removeNamed(name)}
      action={common.remove}
      impossible={isLast && mandatory ? t.yourTenantRequiresAFactor : undefined}
      run={remove}
      done={t.thePasskeyIsRemoved}
    >
      <p>{t.otherSessionsEnd}</p>
      {isLast && <p>{t.thenYourPasswordAloneSigns}</p>}
    </Asks>
  );
}
