import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { INVITES, type Invite, invitesQuery, withdrawInvite } from "../../api/people/invites.ts";
import { Actor } from "../../parts/actor.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { renderProblem } from "../../parts/problem-box.tsx";
import { toast } from "../../parts/toasts.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Pager } from "../../ui/display/pager.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Ago } from "../../ui/display/time.tsx";
import { Confirm } from "../../ui/input/confirm.tsx";
import { Section } from "../../ui/page/page.tsx";
import { ROLES } from "../../words/roles.ts";

const COLUMNS: readonly Column<Invite>[] = [
  { key: "email", title: "E-mail address", main: true, cell: ({ email }) => email },
  { key: "role", title: "Role", cell: ({ role }) => ROLES[role] },
  { key: "by", title: "Invited by", cell: ({ createdBy }) => <Actor of={createdBy} /> },
  { key: "expires", title: "Link expires", cell: ({ expiresAt }) => <Ago at={expiresAt} /> },
  { key: "acts", title: "Actions", cell: (invite) => <Withdraw invite={invite} /> },
];

/** Invitations that can still be accepted. */
export function OpenInvites() {
  const [skip, setSkip] = useState(0);
  return (
    <Section title="Open invitations">
      <Loaded query={useQuery(invitesQuery(skip))}>
        {(page) => (
          <>
            <Table
              label="Open invitations"
              columns={COLUMNS}
              rows={page.items}
              rowKey={({ id }) => id}
              empty={<p className="soft">No invitation is open.</p>}
            />
            <Pager page={page} of="invitation" onSkip={setSkip} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

function Withdraw({ invite }: { invite: Invite }) {
  const [opened, setOpened] = useState(false);
  const refresh = useRefresh();
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpened(true)}>
        Withdraw
      </Button>
      <Confirm
        title={`Withdraw the invitation of ${invite.email}?`}
        opened={opened}
        onClose={() => setOpened(false)}
        action="Withdraw invitation"
        problem={renderProblem}
        onConfirm={async () => {
          await withdrawInvite(invite.id);
          toast("The invitation is withdrawn.");
          await refresh(INVITES);
        }}
      >
        <p>Its link stops at once. You can invite the address again.</p>
      </Confirm>
    </>
  );
}
