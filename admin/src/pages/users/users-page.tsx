import { NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { INVITES, type Invite, invitesQuery, inviteUser, withdrawInvite } from "../../api/people/invites.ts";
import { type Role, USERS, type User, usersQuery } from "../../api/people/users.ts";
import { Asks } from "../../parts/act/confirm.tsx";
import { Actor } from "../../parts/actor.tsx";
import { Form, useFields } from "../../parts/form/form.tsx";
import { Records } from "../../parts/list/records.tsx";
import { useMay } from "../../parts/session.ts";
import { useListState } from "../../parts/url-state.ts";
import { Ago, type Column, type Filter, Notice, Opens, Page, Section, Status, Time } from "../../ui/ui.ts";
import { ROLES } from "../../words/roles.ts";
import { type MadeLink, ShowLink } from "./show-link.tsx";

const STATES = { active: "active", deactivated: "deactivated" };
const FILTERS: readonly Filter[] = [
  { kind: "text", name: "q", label: "E-mail address", placeholder: "a part of it", maxLength: 200 },
  { kind: "choice", name: "role", label: "Role", options: Object.entries(ROLES) },
  { kind: "choice", name: "status", label: "State", options: Object.entries(STATES) },
];
const COLUMNS: readonly Column<User>[] = [
  { title: "E-mail address", main: true, cell: ({ email }) => email },
  { title: "Role", cell: ({ role, platform }) => (platform ? `${ROLES[role]}, platform` : ROLES[role]) },
  {
    title: "State",
    cell: ({ status }) => <Status plain of={status === "active" ? ["good", "Active"] : ["bad", "Deactivated"]} />,
  },
  { title: "Second factor", cell: ({ secondFactor }) => (secondFactor ? "on" : "–") },
  { title: "Last active", cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} none="not signed in" /> },
  { title: "Since", cell: ({ createdAt }) => <Time at={createdAt} /> },
];

export default function UsersPage() {
  const list = useListState();
  const { q, role, status } = list.values;
  const asked = { q, role: role as Role | undefined, status: status as User["status"] | undefined };
  return (
    <Page
      title="Users"
      lead="Administrators run everything; operators and viewers see the devices of their groups."
      actions={
        useMay("inviteUser") && (
          <Opens main label="Invite user" title="Invite a user">
            {(close) => <InviteUser onClose={close} />}
          </Opens>
        )
      }
    >
      <Records
        label="Users"
        of="user"
        list={list}
        filters={FILTERS}
        query={useQuery(usersQuery({ ...asked, skip: list.skip }))}
        columns={COLUMNS}
        href={({ id }) => `/users/${id}`}
        csv={[USERS, asked]}
      />
      <OpenInvites />
    </Page>
  );
}

const INVITE_COLUMNS: readonly Column<Invite>[] = [
  { title: "E-mail address", main: true, cell: ({ email }) => email },
  { title: "Role", cell: ({ role }) => ROLES[role] },
  { title: "Invited by", cell: ({ createdBy }) => <Actor of={createdBy} /> },
  { title: "Link expires", cell: ({ expiresAt }) => <Ago at={expiresAt} /> },
  { title: "Actions", cell: (invite) => <Withdraw invite={invite} /> },
];

function OpenInvites() {
  const [skip, setSkip] = useState(0);
  return (
    <Section title="Open invitations">
      <Records
        label="Open invitations"
        of="invitation"
        query={useQuery(invitesQuery(skip))}
        columns={INVITE_COLUMNS}
        onSkip={setSkip}
        empty={<p className="soft">No invitation is open.</p>}
      />
    </Section>
  );
}

function Withdraw({ invite: { id, email } }: { invite: Invite }) {
  return (
    <Asks
      small
      label="Withdraw"
      title={`Withdraw the invitation of ${email}?`}
      action="Withdraw invitation"
      run={() => withdrawInvite(id)}
      done="The invitation is withdrawn."
      refreshes={[INVITES]}
    >
      <p>Its link stops at once. You can invite the address again.</p>
    </Asks>
  );
}

function InviteUser({ onClose }: { onClose: () => void }) {
  const [link, setLink] = useState<MadeLink & { role: Role }>();
  const [form, field] = useFields({ email: "", role: "operator" as Role }, "inviteUser");
  const submit = async ({ email, role }: typeof form.values) =>
    setLink({ ...(await inviteUser({ email: email.trim(), role })), role });
  if (link)
    return (
      <ShowLink title={`Invitation of ${link.email}`} link={link} onDone={onClose}>
        {link.role !== "admin" && (
          <Notice tone="accent" title="In no group yet">
            <p>
              {link.email} sees no device until an administrator adds the account to a <a href="/groups">group</a>, once
              the invitation is accepted.
            </p>
          </Notice>
        )}
      </ShowLink>
    );
  return (
    <Form form={form} onSubmit={submit} action="Invite" onCancel={onClose} refreshes={[INVITES]}>
      <TextInput label="E-mail address" type="email" data-autofocus {...field("email")} />
      <NativeSelect
        label="Role"
        description="Operators handle anomalies and tickets of their groups; viewers read."
        data={Object.entries(ROLES).map(([value, label]) => ({ value, label }))}
        {...field("role")}
      />
    </Form>
  );
}
