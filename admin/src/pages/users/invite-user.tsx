import { NativeSelect, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { INVITES, inviteUser } from "../../api/people/invites.ts";
import type { Role } from "../../api/people/users.ts";
import { Form } from "../../parts/form/form.tsx";
import { rulesOf } from "../../parts/form/rules.ts";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Notice } from "../../ui/display/status.tsx";
import { Dialog } from "../../ui/input/dialog.tsx";
import { ROLES } from "../../words/roles.ts";
import { type MadeLink, ShowLink } from "./show-link.tsx";

/** Invites a user: a link that is mailed, or handed over. */
export function InviteUser({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [link, setLink] = useState<MadeLink & { role: Role }>();
  const close = () => {
    setLink(undefined);
    onClose();
  };
  return (
    <Dialog
      title={link ? `Invitation of ${link.email}` : "Invite a user"}
      keep={link !== undefined}
      opened={opened}
      onClose={close}
    >
      {link ? (
        <ShowLink link={link} onDone={close}>
          {link.role !== "admin" && (
            <Notice tone="accent" title="In no group yet">
              <p>
                {link.email} sees no device until an administrator adds the account to a <a href="/groups">group</a>,
                once the invitation is accepted.
              </p>
            </Notice>
          )}
        </ShowLink>
      ) : (
        <Fields onCancel={close} onInvited={setLink} />
      )}
    </Dialog>
  );
}

function Fields({
  onCancel,
  onInvited,
}: {
  onCancel: () => void;
  onInvited: (link: MadeLink & { role: Role }) => void;
}) {
  const refresh = useRefresh();
  const form = useForm({
    mode: "controlled",
    initialValues: { email: "", role: "operator" as Role },
    validate: rulesOf("inviteUser", ["email"]),
  });
  const submit = async ({ email, role }: typeof form.values) => {
    onInvited({ ...(await inviteUser({ email: email.trim(), role })), role });
    await refresh(INVITES);
  };
  return (
    <Form form={form} onSubmit={submit} action="Invite" onCancel={onCancel}>
      <TextInput label="E-mail address" type="email" data-autofocus {...form.getInputProps("email")} />
      <NativeSelect
        label="Role"
        description="Operators handle anomalies and tickets of their groups; viewers read."
        data={Object.entries(ROLES).map(([value, label]) => ({ value, label }))}
        {...form.getInputProps("role")}
      />
    </Form>
  );
}
