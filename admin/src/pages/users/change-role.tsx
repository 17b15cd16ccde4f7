import { Checkbox, NativeSelect } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { MQTT_CLIENTS } from "../../api/broker/mqtt-clients.ts";
import { changeUser, impactQuery, type Role, USERS, type User, userQuery } from "../../api/people/users.ts";
import { Form } from "../../parts/form/form.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { toast } from "../../parts/toasts.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";
import { plural } from "../../ui/display/format.ts";
import { Dialog } from "../../ui/input/dialog.tsx";
import { ROLES } from "../../words/roles.ts";
import { RoleImpact } from "./role-impact.tsx";

interface ChangeRoleProps {
  user: User;
  etag: string | undefined;
  opened: boolean;
  onClose: () => void;
}

/** Gives a user another role, and offers to revoke the user's API keys with it. */
export function ChangeRole({ user, etag, opened, onClose }: ChangeRoleProps) {
  return (
    <Dialog title={`Change the role of ${user.email}`} opened={opened} onClose={onClose}>
      <Fields user={user} etag={etag} onClose={onClose} />
    </Dialog>
  );
}

function Fields({ onClose, ...opened }: Omit<ChangeRoleProps, "opened">) {
  // What the form began with: the screen goes on to follow the user meanwhile.
  const [{ user, etag }, setVersion] = useState(opened);
  const queries = useQueryClient();
  const refresh = useRefresh();
  const form = useForm({ mode: "controlled", initialValues: { role: user.role as Role, revokeKeys: false } });
  const impact = useQuery(impactQuery(user.id, form.values.role));
  const keys = impact.data?.keys ?? [];
  const load = async () => {
    const { record, etag } = await queries.fetchQuery({ ...userQuery(user.id), staleTime: 0 });
    setVersion({ user: record, etag });
    return { role: record.role, revokeKeys: false };
  };
  const submit = async ({ role, revokeKeys }: typeof form.values) => {
    await changeUser(user.id, etag, { role, revokeKeys });
    toast(`${user.email} is ${ROLES[role].toLowerCase()} now.`);
    onClose();
    await refresh(USERS, "/api/admin/keys", MQTT_CLIENTS);
  };
  const blocked =
    form.values.role === user.role ? "Choose another role." : impact.isPending ? "Looking what stops …" : undefined;
  return (
    <Form
      form={form}
      onSubmit={submit}
      action="Change role"
      onCancel={onClose}
      blocked={blocked}
      conflict={{ load, labels: LABELS }}
    >
      <p>The sessions of the user end at once; the user signs in again.</p>
      <NativeSelect
        label="Role"
        data={Object.entries(ROLES).map(([value, label]) => ({ value, label }))}
        {...form.getInputProps("role")}
      />
      {form.values.role !== user.role && (
        <Loaded query={impact}>{(found) => <RoleImpact role={form.values.role} impact={found} />}</Loaded>
      )}
      {keys.length > 0 && (
        <Checkbox
          label={`Revoke the ${plural(keys.length, "API key")} of the user, too`}
          description="For good. Otherwise they have what the role allows, and all of their scopes again once the user is an administrator again."
          {...form.getInputProps("revokeKeys", { type: "checkbox" })}
        />
      )}
    </Form>
  );
}

const LABELS = { role: "Role", revokeKeys: "API keys" } as const;
