import { Button } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import type { Group } from "../../api/people/groups.ts";
import type { Versioned } from "../../api/versioned.ts";
import { Actor } from "../../parts/actor.tsx";
import { Form } from "../../parts/form/form.tsx";
import { PeopleField } from "../../parts/form/people-field.tsx";
import { useMay } from "../../parts/session.ts";
import { Empty } from "../../ui/display/empty.tsx";
import { Dialog } from "../../ui/input/dialog.tsx";
import { Panel, Section } from "../../ui/page/page.tsx";
import { useGroupEdit } from "./use-group-edit.ts";
import "./group.css";

/** Who sees the devices of the group. */
export function Members({ group }: { group: Versioned<Group> }) {
  const [open, setOpen] = useState(false);
  const may = useMay("updateGroup");
  const { memberUserIds } = group.record;
  const close = () => setOpen(false);
  const change = (
    <Button variant="default" onClick={() => setOpen(true)}>
      {memberUserIds.length === 0 ? "Add members" : "Change members"}
    </Button>
  );
  return (
    <Section
      title="Members"
      lead="Operators and viewers see the devices of the groups they are members of; administrators see all devices."
      actions={may && memberUserIds.length > 0 && change}
    >
      {memberUserIds.length === 0 ? (
        <Empty title="The group has no member." action={may && change}>
          Only administrators see its devices.
        </Empty>
      ) : (
        <Panel tight>
          <ul className="group-members">
            {memberUserIds.map((id) => (
              <li key={id}>
                <Actor of={`user:${id}`} />
              </li>
            ))}
          </ul>
        </Panel>
      )}
      <Dialog title={`Members of ${group.record.name}`} opened={open} onClose={close}>
        <ChangeMembers opened={group} onClose={close} />
      </Dialog>
    </Section>
  );
}

function ChangeMembers({ opened, onClose }: { opened: Versioned<Group>; onClose: () => void }) {
  const { record, load, save } = useGroupEdit(opened, onClose);
  const form = useForm({ mode: "controlled", initialValues: { memberUserIds: record.memberUserIds } });
  const conflict = {
    load: async () => ({ memberUserIds: (await load()).memberUserIds }),
    labels: { memberUserIds: "Members" },
    show: (_: unknown, ids: unknown) => `${(ids as string[]).length} members`,
  };
  return (
    <Form form={form} onSubmit={save} action="Save" onCancel={onClose} conflict={conflict}>
      <PeopleField
        label="Members"
        description="Who is taken out sees the devices of the group no more, and is not paged as a member."
        {...form.getInputProps("memberUserIds")}
      />
    </Form>
  );
}
