import { useQuery } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { t } from "#texts/duties.ts";
import type { Group } from "../../api/people/groups.ts";
import { deleteOverride, type Override, overridesQuery } from "../../api/people/on-call.ts";
import { Asks } from "../../parts/act/confirm.tsx";
import { Actor } from "../../parts/actor.tsx";
import { Records } from "../../parts/list/records.tsx";
import { useMay } from "../../parts/session.ts";
import { type Column, Empty, Section, Status, Time, useOpens } from "../../ui/ui.ts";
import { OF_DUTIES, OverrideForm } from "./override-form.tsx";
import { Calendar } from "./own-duties.tsx";

const COLUMNS: readonly Column<Override>[] = [
  { title: t.begins, main: true, cell: ({ startsAt }) => <Time at={startsAt} /> },
  { title: t.ends, cell: ({ endsAt }) => <Time at={endsAt} /> },
  { title: t.onDuty, cell: ({ userId }) => (userId ? <Actor of={`user:${userId}`} /> : t.everyone) },
  {
    title: t.insteadOf,
    cell: ({ replacesUserId }) => (replacesUserId ? <Actor of={`user:${replacesUserId}`} /> : t.everybody),
  },
  {
    title: t.state,
    cell: ({ state }) => <Status plain of={state === "agreed" ? ["good", t.agreed] : ["neutral", t.offered]} />,
  },
];

/** The overrides of duties in a group, present and planned. */
export function GroupOverrides({ group: { id, name } }: { group: Group }) {
  const may = useMay("createOverride");
  const [button, dialog] = useOpens({
    label: t.override,
    title: t.overrideTitle(name),
    children: (close) => <OverrideForm groupId={id} onClose={close} />,
  });
  const columns = may
    ? [...COLUMNS, { title: common.actions, cell: (override: Override) => <End override={override} /> }]
    : COLUMNS;
  return (
    <Section
      title={t.overrides}
      lead={t.overridesLead}
      actions={
        <>
          <Calendar groupId={id} />
          {may && button}
        </>
      }
    >
      <Records
        label={t.overrides}
        query={useQuery(overridesQuery(id))}
        columns={columns}
        empty={<Empty title={t.noOverride} />}
      />
      {dialog}
    </Section>
  );
}

function End({ override: { id } }: { override: Override }) {
  return (
    <Asks
      small
      label={t.end}
      title={t.endQuestion}
      action={t.end}
      run={() => deleteOverride(id)}
      done={t.ended}
      refreshes={OF_DUTIES}
    >
      <p>{t.endText}</p>
    </Asks>
  );
}
