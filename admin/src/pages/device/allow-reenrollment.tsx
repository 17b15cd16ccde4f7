import { useQueryClient } from "@tanstack/react-query";
import { t } from "#texts/pages/fleet.ts";
import { CLAIMS, claimCodeQuery } from "../../api/claims.ts";
import { allowReenrollment } from "../../api/devices.ts";
import { Form, useFields } from "../../parts/form/form.tsx";

/** Creates a claim with which the device enrolls again, and opens its page, which shows the code. */
export function AllowReenrollment({ id, onClose }: { id: string; onClose: () => void }) {
  const queries = useQueryClient();
  const [form] = useFields({});
  const submit = async () => {
    const claim = await allowReenrollment(id);
    queries.setQueryData(claimCodeQuery(claim.id).queryKey, claim.claimCode);
    return claim;
  };
  return (
    <Form
      form={form}
      onSubmit={submit}
      action={t.createCode}
      onCancel={onClose}
      leads={(claim) => `/claims/${claim.id}`}
      refreshes={[CLAIMS]}
    >
      <p>{t.reenrollmentHelp}</p>
    </Form>
  );
}
