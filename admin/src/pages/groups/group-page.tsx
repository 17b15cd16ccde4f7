import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { deleteGroup, GROUPS, type Group, groupQuery } from "../../api/people/groups.ts";
import type { Versioned } from "../../api/versioned.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { renderProblem } from "../../parts/problem-box.tsx";
import { useMay } from "../../parts/session.ts";
import { toast } from "../../parts/toasts.tsx";
import { usePathParams } from "../../parts/use-params.ts";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Time } from "../../ui/display/time.tsx";
import { Confirm } from "../../ui/input/confirm.tsx";
import { Dialog } from "../../ui/input/dialog.tsx";
import { Facts } from "../../ui/page/facts.tsx";
import { Page, Panel } from "../../ui/page/page.tsx";
import { Channels } from "./channels.tsx";
import { Escalation } from "./escalation.tsx";
import { GroupForm } from "./group-form.tsx";
import { GroupShifts } from "./group-shifts.tsx";
import { Members } from "./members.tsx";
import { TestMessages } from "./test-messages.tsx";
import { useGroupEdit } from "./use-group-edit.ts";

/** A group: who is in it, whom it pages and when, and whether messages arrive. */
export default function GroupPage() {
  const { id } = usePathParams<"id">();
  const query = useQuery(groupQuery(id));
  const mayChange = useMay("updateGroup");
  return (
    <Page
      title={query.data?.record.name ?? "Group"}
      back={{ href: "/groups", label: "Groups" }}
      actions={mayChange && query.data && <Actions {...query.data} />}
    >
      <Loaded query={query}>
        {(group) => (
          <>
            <Panel>
              <Facts facts={factsOf(group.record)} />
            </Panel>
            <Escalation group={group} />
            <GroupShifts group={group.record} />
            <Members group={group} />
            <Channels group={group} />
            {mayChange && <TestMessages group={group.record} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function factsOf(group: Group): (readonly [string, React.ReactNode])[] {
  return [
    ["Description", group.description],
    [
      "Devices",
      <a key="devices" href={`/devices?groupId=${group.id}`}>
        the devices of this group
      </a>,
    ],
    ["Changed", <Time key="changed" at={group.updatedAt} />],
    [
      "Group id",
      <span key="id" className="mono">
        {group.id}
      </span>,
    ],
  ];
}

function Actions(group: Versioned<Group>) {
  const [open, setOpen] = useState<"edit" | "delete">();
  const refresh = useRefresh();
  const router = useRouter();
  const { record } = group;
  const close = () => setOpen(undefined);
  return (
    <>
      <Button variant="default" onClick={() => setOpen("delete")}>
        Delete
      </Button>
      <Button variant="default" onClick={() => setOpen("edit")}>
        Rename
      </Button>
      <Dialog title={`Rename ${record.name}`} opened={open === "edit"} onClose={close}>
        <Rename opened={group} onClose={close} />
      </Dialog>
      <Confirm
        title={`Delete ${record.name}?`}
        opened={open === "delete"}
        onClose={close}
        action="Delete group"
        typed={record.name}
        problem={renderProblem}
        onConfirm={async () => {
          await deleteGroup(record.id);
          toast(`Group ${record.name} is deleted.`);
          await router.navigate({ href: "/groups" });
          await refresh(GROUPS);
        }}
      >
        <p>
          Its channels and escalation are gone with it; its shifts stay, and its tickets stay without a group. A group
          that devices are in, or that an open claim names, cannot be deleted.
        </p>
      </Confirm>
    </>
  );
}

function Rename({ opened, onClose }: { opened: Versioned<Group>; onClose: () => void }) {
  const { record, load, save } = useGroupEdit(opened, onClose);
  return (
    <GroupForm operation="updateGroup" action="Save" group={record} onCancel={onClose} load={load} onSubmit={save} />
  );
}
