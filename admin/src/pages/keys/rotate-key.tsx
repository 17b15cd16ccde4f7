import { NativeSelect } from "@mantine/core";
import { useState } from "react";
import { t as rotation } from "#texts/pages/access/rotation.ts";
import { t } from "#texts/pages/keys.ts";
import { type ApiKey, KEYS, rotateKey } from "../../api/keys.ts";
import { Form, useFields } from "../../parts/form/form.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Secret, ShownOnce, Time } from "../../ui/ui.ts";

/** The choices for the time that the former key keeps working, in hours. */
const OVERLAPS = [
  { value: "168", label: rotation.in7Days },
  { value: "24", label: rotation.in24Hours },
  { value: "1", label: rotation.inAnHour },
  { value: "0", label: rotation.immediately },
];

/**
 * Replaces a key by one with the same rights, and shows it once. The list is read again when the user has copied it,
 * since a replaced key no longer has this dialog.
 */
export function RotateKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const [made, setMade] = useState<Awaited<ReturnType<typeof rotateKey>>>();
  const refresh = useRefresh();
  const done = () => {
    onClose();
    void refresh(KEYS);
  };
  const [form, field] = useFields({ overlapHours: "24" }, "rotateKey");
  if (made)
    return (
      <ShownOnce title={t.theNewApiKey} done={t.iHaveCopiedIt} onDone={done}>
        <Secret label={t.apiKey} value={made.key} />
        <p>{rotation.theFormerKeyEndsAt(<Time at={made.replaces.expiresAt} />)}</p>
      </ShownOnce>
    );
  const submit = async ({ overlapHours }: typeof form.values) =>
    setMade(await rotateKey(apiKey.id, { overlapHours: Number(overlapHours) }));
  return (
    <Form form={form} onSubmit={submit} action={rotation.rotateKey} onCancel={onClose}>
      <p>{rotation.theNewKeyHasTheSame}</p>
      <NativeSelect label={rotation.theFormerKeyEnds} data={OVERLAPS} {...field("overlapHours")} />
    </Form>
  );
}
