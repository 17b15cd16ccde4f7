import { NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t as fleet } from "#texts/pages/fleet.ts";
import { t } from "#texts/pages/users.ts";
import { INVITES, type Invite, invitesQuery, inviteUser, withdrawInvite } from "../../api/people/invites.ts";
import { type Role, USERS, type User, usersQuery } from "../../api/people/users.ts";
import { Asks } from "../../parts/act/confirm.tsx";
import { Actor } from "../../parts/actor.tsx";
import { GroupsField } from "../../parts/form/choices-field.tsx";
import { Form, useFields } from "../../parts/form/form.tsx";
import { Records } from "../../parts/list/records.tsx";
import { useMay } from "../../parts/session.ts";
import { useListState } from "../../parts/url-state.ts";
import { Ago, type Column, type Filter, Notice, Opens, Page, Section, Status } from "../../ui/ui.ts";
import { ROLES } from "../../words/roles.ts";
import { GroupsOf } from "./groups-of.tsx";
import { type MadeLink, ShowLink } from "./show-link.tsx";

const STATES = { active: common.states.active, deactivated: common.states.deactivated };
const FILTERS: readonly Filter[] = [
  { kind: "text", name: "q", label: t.nameOrAddress, placeholder: t.aPartOfIt, maxLength: 200 },
  { kind: "choice", name: "role", label: common.role, options: Object.entries(ROLES) },
  { kind: "choice", name: "status", label: common.state, options: Object.entries(STATES) },
];
const COLUMNS: readonly Column<User>[] = [
  { title: common.eMailAddress, main: true, cell: ({ email }) => email },
  { title: common.name, cell: ({ name }) => name },
  { title: common.role, cell: ({ role, platform }) => (platform ? t.platform(ROLES[role]) : ROLES[role]) },
  { title: common.groups, cell: (user) => <GroupsOf user={user} /> },
  {
    title: common.state,
    cell: ({ status }) => <Status plain of={status === "active" ? ["good", t.active] : ["bad", t.deactivated]} />,
  },
  { title: common.secondFactor, cell: ({ secondFactor }) => (secondFactor ? t.on : "–") },
  { title: t.lastActive, cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} none={t.notSignedIn} /> },
  { title: common.since, cell: ({ createdAt }) => <Ago at={createdAt} /> },
];

export default function UsersPage() {
  const list = useListState();
  const { q, role, status } = list.values;
  const asked = { q, role: role as Role | undefined, status: status as User["status"] | undefined };
  return (
    <Page
      title={t.users}
      lead={t.administratorsRunEverythingOperatorsAnd}
      actions={
        useMay("inviteUser") && (
          <Opens main label={t.inviteUser} title={t.inviteAUser}>
            {(close) => <InviteUser onClose={close} />}
          </Opens>
        )
      }
    >
      <Records
        label={t.users}
        of={nouns.user}
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
  { title: common.eMailAddress, main: true, cell: ({ email }) => email },
  { title: common.role, cell: ({ role }) => ROLES[role] },
  { title: t.invitedBy, cell: ({ createdBy }) => <Actor of={createdBy} /> },
  { title: t.linkExpires, cell: ({ expiresAt }) => <Ago at={expiresAt} /> },
  { title: common.actions, cell: (invite) => <Withdraw invite={invite} /> },
];

function OpenInvites() {
  const [skip, setSkip] = useState(0);
  return (
    <Section title={t.openInvitations}>
      <Records
        label={t.openInvitations}
        of={nouns.invitation}
        query={useQuery(invitesQuery(skip))}
        columns={INVITE_COLUMNS}
        onSkip={setSkip}
        empty={<p className="soft">{t.noInvitationIsOpen}</p>}
      />
    </Section>
  );
}

function Withdraw({ invite: { id, email } }: { invite: Invite }) {
  return (
    <Asks
      small
      label={t.withdraw}
      title={t.withdrawTheInvitationOf(email)}
      action={t.withdrawInvitation}
      run={() => withdrawInvite(id)}
      done={t.theInvitationIsWithdrawn}
      refreshes={[INVITES]}
    >
      <p>{t.itsLinkStopsAtOnce}</p>
    </Asks>
  );
}

function InviteUser({ onClose }: { onClose: () => void }) {
  const [link, setLink] = useState<MadeLink>();
  const [form, field] = useFields({ email: "", role: "operator" as Role, groupIds: [] as string[] }, "inviteUser");
  const submit = async ({ email, role, groupIds }: typeof form.values) =>
    setLink(await inviteUser({ email: email.trim(), role, groupIds }));
  const seesNothing = form.values.role !== "admin" && form.values.groupIds.length === 0;
  if (link)
    return (
      <ShowLink title={t.invitationOf(link.email)} link={link} onDone={onClose}>
        {seesNothing && (
          <Notice tone="accent" title={t.inNoGroupYet}>
            <p>{t.seesNoDeviceUntilAn(link.email, <a href="/groups">{t.group}</a>)}</p>
          </Notice>
        )}
      </ShowLink>
    );
  return (
    <Form form={form} onSubmit={submit} action={t.invite} onCancel={onClose} refreshes={[INVITES]}>
      <TextInput label={common.eMailAddress} type="email" data-autofocus {...field("email")} />
      <NativeSelect
        label={common.role}
        description={t.operatorsHandleAnomaliesAndTickets}
        data={Object.entries(ROLES).map(([value, label]) => ({ value, label }))}
        {...field("role")}
      />
      <GroupsField label={common.groups} description={fleet.joinsGroups} {...field("groupIds")} />
      {seesNothing && (
        <Notice tone="warn" title={t.inNoGroupYet}>
          <p>{t.withoutAGroup}</p>
        </Notice>
      )}
    </Form>
  );
}
