import { NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/keys.ts";
import { createKey, KEYS } from "../../api/keys.ts";
import type { ServiceAccount } from "../../api/people/service-accounts.ts";
import { Form, useFields } from "../../parts/form/form.tsx";
import { useSession } from "../../parts/session.ts";
import { CopyBlock, Secret, ShownOnce } from "../../ui/ui.ts";
import { useBroker } from "../connect/use-broker.ts";
import { requestFor } from "./request-for.ts";
import { ScopeMatrix } from "./scope-matrix.tsx";

/** The choices for the lifetime of a key, in days. */
const LIVES = [
  { value: "30", label: t.in30Days },
  { value: "90", label: t.in90Days },
  { value: "365", label: t.inAYear },
  { value: "", label: t.never },
];

/**
 * Creates a key and shows it once, with a request that uses it.
 *
 * @param account its owner, in place of the user
 */
export default function CreateKey({ onClose, account }: { onClose: () => void; account?: ServiceAccount }) {
  const { user } = useSession();
  const { baseUrl, caPem } = useBroker();
  const [made, setMade] = useState<{ key: string; scopes: readonly string[] }>();
  const [form, field] = useFields({ name: "", expiresInDays: "90", scopes: [] as string[] }, "createKey", {
    scopes: (scopes) => (scopes.length === 0 ? t.chooseAtLeastOneScope : null),
  });
  const submit = async ({ name, expiresInDays, scopes }: typeof form.values) => {
    const days = expiresInDays === "" ? {} : { expiresInDays: Number(expiresInDays) };
    const { key } = await createKey({ name, scopes, ...days, ...(account && { serviceAccountId: account.id }) });
    setMade({ key, scopes });
  };
  if (made)
    return (
      <ShownOnce title={t.theNewApiKey} done={t.iHaveCopiedIt} onDone={onClose}>
        <Secret label={t.apiKey} value={made.key} />
        <CopyBlock label={t.tryIt}>
          {requestFor(made.key, made.scopes, { origin: baseUrl ?? location.origin, caPem })}
        </CopyBlock>
        <p className="soft">
          {t.operationsAndErrorsAreIn}
          <a href="/docs/api" target="_blank" rel="noreferrer">
            {t.apiReference}
          </a>
          .
        </p>
      </ShownOnce>
    );
  return (
    <Form form={form} onSubmit={submit} action={t.createApiKey} onCancel={onClose} refreshes={[KEYS]}>
      <TextInput label={common.name} placeholder={t.dashboard} data-autofocus {...field("name")} />
      <NativeSelect label={common.expires} data={LIVES} {...field("expiresInDays")} />
      <ScopeMatrix {...field("scopes")} />
      <p className="soft">{account ? t.theKeyBelongsTo(account.name) : t.theKeyIsYoursIt(user.email)}</p>
    </Form>
  );
}
