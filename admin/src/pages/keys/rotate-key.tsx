import { NativeSelect } from "@mantine/core";
import { useState } from "react";
import { t } from "#texts/pages/keys.ts";
import { type ApiKey, KEYS, rotateKey } from "../../api/keys.ts";
import { Form, useFields } from "../../parts/form/form.tsx";
import { Secret, ShownOnce, Time } from "../../ui/ui.ts";

/** The choices for the time that the former key keeps working, in hours. */
const OVERLAPS = [
  { value: "168", label: t.in7Days },
  { value: "24", label: t.in24Hours },
  { value: "1", label: t.inAnHour },
  { value: "0", label: t.immediately },
];

/** Replaces a key by one with the same rights, and shows it once. */
export function RotateKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const [made, setMade] = useState<Awaited<ReturnType<typeof rotateKey>>>();
  const [form, field] = useFields({ overlapHours: "24" }, "rotateKey");
  if (made)
    return (
      <ShownOnce title={t.theNewApiKey} done={t.iHaveCopiedIt} onDone={onClose}>
        <Secret label={t.apiKey} value={made.key} />
        <p>{t.theFormerKeyEndsAt(<Time at={made.replaces.expiresAt} />)}</p>
      </ShownOnce>
    );
  const submit = async ({ overlapHours }: typeof form.values) =>
    setMade(await rotateKey(apiKey.id, { overlapHours: Number(overlapHours) }));
  return (
    <Form form={form} onSubmit={submit} action={t.rotateKey} onCancel={onClose} refreshes={[KEYS]}>
      <p>{t.theNewKeyHasTheSame}</p>
      <NativeSelect label={t.theFormerKeyEnds} data={OVERLAPS} {...field("overlapHours")} />
    </Form>
  );
}
