import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { createGroup, GROUPS, type Group, groupsQuery } from "../../api/people/groups.ts";
import { DownloadCsv } from "../../parts/download-csv.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { useMay, useSession } from "../../parts/session.ts";
import { useListState } from "../../parts/url-state.ts";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Empty } from "../../ui/display/empty.tsx";
import { plural } from "../../ui/display/format.ts";
import { Pager } from "../../ui/display/pager.tsx";
import { Status } from "../../ui/display/status.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Dialog } from "../../ui/input/dialog.tsx";
import { type Filter, Filters } from "../../ui/input/filters.tsx";
import { Page } from "../../ui/page/page.tsx";
import { afterText, NOTIFY } from "../../words/on-call.ts";
import { GroupForm } from "./group-form.tsx";

const FILTERS: readonly Filter[] = [
  { kind: "text", name: "q", label: "Name", placeholder: "a part of it", maxLength: 200 },
];

/** Who sees which devices, and who is paged when something is wrong with them. */
export default function GroupsPage() {
  const { values, skip, onFilter, onSkip } = useListState();
  const query = useQuery(groupsQuery({ q: values.q, skip }));
  const [creating, setCreating] = useState(false);
  const may = useMay("createGroup");
  const create = <Button onClick={() => setCreating(true)}>Create group</Button>;
  return (
    <Page
      title="Groups"
      lead="A group decides who sees its devices, and who is paged when an anomaly opens on one of them."
      actions={may && create}
    >
      <Filters filters={FILTERS} values={values} onChange={onFilter} />
      <Loaded query={query} loading={<Table label="Groups" columns={COLUMNS} rows={undefined} rowKey={idOf} />}>
        {(page) => (
          <>
            <Table
              label="Groups"
              columns={COLUMNS}
              rows={page.items}
              rowKey={idOf}
              href={({ id }) => `/groups/${id}`}
              empty={<NoGroups narrowed={Boolean(values.q)} action={may && create} />}
            />
            <Pager page={page} of="group" onSkip={onSkip}>
              <DownloadCsv list={GROUPS} query={{ q: values.q }} total={page.total} />
            </Pager>
          </>
        )}
      </Loaded>
      <CreateGroup opened={creating} onClose={() => setCreating(false)} />
    </Page>
  );
}

function CreateGroup({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const router = useRouter();
  const refresh = useRefresh();
  return (
    <Dialog title="Create a group" opened={opened} onClose={onClose}>
      <GroupForm
        operation="createGroup"
        action="Create group"
        onCancel={onClose}
        onSubmit={async (fields) => {
          const { id } = await createGroup(fields);
          await refresh(GROUPS);
          await router.navigate({ href: `/groups/${id}` });
        }}
      />
    </Dialog>
  );
}

function NoGroups({ narrowed, action }: { narrowed: boolean; action: React.ReactNode }) {
  const { role } = useSession().user;
  if (narrowed) return <Empty title="No group matches." action={<a href="/groups">Clear filters</a>} />;
  if (role !== "admin")
    return (
      <Empty title="You are in no group yet.">
        You see the devices of your groups, so you see none until an administrator adds you to one.
      </Empty>
    );
  return (
    <Empty title="There is no group yet." action={action}>
      Operators and viewers see no device, and no pages are sent, before there is a group with members, devices and an
      escalation.
    </Empty>
  );
}

const COLUMNS: readonly Column<Group>[] = [
  { key: "name", title: "Name", main: true, cell: ({ name }) => name },
  { key: "members", title: "Members", cell: ({ memberUserIds }) => plural(memberUserIds.length, "member") },
  { key: "pages", title: "Pages", cell: ({ escalation }) => <FirstStep escalation={escalation} /> },
  { key: "shifts", title: "Shifts", cell: ({ shiftIds }) => plural(shiftIds.length, "shift") },
  { key: "channels", title: "Channels", cell: (group) => <Channels group={group} /> },
];

function FirstStep({ escalation }: Pick<Group, "escalation">) {
  const [first, ...more] = escalation;
  if (!first) return <span className="soft">never: it has no escalation</span>;
  const steps = more.length > 0 ? `, ${plural(more.length, "further step")}` : "";
  return `${afterText(first.afterMinutes)}: ${NOTIFY[first.notify]}${steps}`;
}

function Channels({ group: { channels, unconfirmedChannels } }: { group: Group }) {
  if (channels.length === 0) return <span className="soft">none</span>;
  if (unconfirmedChannels.length === 0) return plural(channels.length, "channel");
  return (
    <Status plain tone="warn">
      {`${unconfirmedChannels.length} of ${channels.length} not confirmed`}
    </Status>
  );
}

function idOf({ id }: Group): string {
  return id;
}
