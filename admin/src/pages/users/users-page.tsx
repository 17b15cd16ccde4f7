import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Role, USERS, type User, usersQuery } from "../../api/people/users.ts";
import { DownloadCsv } from "../../parts/download-csv.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { useMay } from "../../parts/session.ts";
import { useListState } from "../../parts/url-state.ts";
import { Empty } from "../../ui/display/empty.tsx";
import { Pager } from "../../ui/display/pager.tsx";
import { Status } from "../../ui/display/status.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Ago, Time } from "../../ui/display/time.tsx";
import { type Filter, Filters } from "../../ui/input/filters.tsx";
import { Page } from "../../ui/page/page.tsx";
import { ROLES } from "../../words/roles.ts";
import { InviteUser } from "./invite-user.tsx";
import { OpenInvites } from "./open-invites.tsx";

const FILTERS: readonly Filter[] = [
  { kind: "text", name: "q", label: "E-mail address", placeholder: "a part of it", maxLength: 200 },
  { kind: "choice", name: "role", label: "Role", options: Object.entries(ROLES) },
  {
    kind: "choice",
    name: "status",
    label: "State",
    options: [
      ["active", "active"],
      ["deactivated", "deactivated"],
    ],
  },
];

/** Who may sign in, and who is invited to. */
export default function UsersPage() {
  const { values, skip, onFilter, onSkip } = useListState();
  const { q, role, status } = values;
  const query = useQuery(
    usersQuery({ q, role: (role || undefined) as Role, status: (status || undefined) as User["status"], skip }),
  );
  const [inviting, setInviting] = useState(false);
  const may = useMay("inviteUser");
  return (
    <Page
      title="Users"
      lead="Administrators run everything; operators and viewers see the devices of their groups."
      actions={may && <Button onClick={() => setInviting(true)}>Invite user</Button>}
    >
      <Filters filters={FILTERS} values={values} onChange={onFilter} />
      <Loaded query={query} loading={<Table label="Users" columns={COLUMNS} rows={undefined} rowKey={idOf} />}>
        {(page) => (
          <>
            <Table
              label="Users"
              columns={COLUMNS}
              rows={page.items}
              rowKey={idOf}
              href={({ id }) => `/users/${id}`}
              empty={<Empty title="No user matches." action={<a href="/users">Clear filters</a>} />}
            />
            <Pager page={page} of="user" onSkip={onSkip}>
              <DownloadCsv list={USERS} query={{ q, role, status }} total={page.total} />
            </Pager>
          </>
        )}
      </Loaded>
      <OpenInvites />
      <InviteUser opened={inviting} onClose={() => setInviting(false)} />
    </Page>
  );
}

const COLUMNS: readonly Column<User>[] = [
  { key: "email", title: "E-mail address", main: true, cell: ({ email }) => email },
  { key: "role", title: "Role", cell: ({ role, platform }) => (platform ? `${ROLES[role]}, platform` : ROLES[role]) },
  { key: "status", title: "State", cell: ({ status }) => <UserState status={status} /> },
  { key: "factor", title: "Second factor", cell: ({ secondFactor }) => (secondFactor ? "on" : "–") },
  { key: "used", title: "Last active", cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} none="not signed in" /> },
  { key: "created", title: "Since", cell: ({ createdAt }) => <Time at={createdAt} /> },
];

function UserState({ status }: Pick<User, "status">) {
  return status === "active" ? (
    <Status plain tone="good">
      Active
    </Status>
  ) : (
    <Status plain tone="bad">
      Deactivated
    </Status>
  );
}

function idOf({ id }: User): string {
  return id;
}
