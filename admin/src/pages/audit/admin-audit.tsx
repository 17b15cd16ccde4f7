import { useQuery } from "@tanstack/react-query";
import { ADMIN_AUDIT, type AdminAct, adminAuditQuery } from "../../api/audits.ts";
import { Actor } from "../../parts/actor.tsx";
import { negatable, PERIOD, periodOf } from "../../parts/filter-values.ts";
import { useListState, useUrlState } from "../../parts/url-state.ts";
import type { Column } from "../../ui/display/table.tsx";
import { Time } from "../../ui/display/time.tsx";
import { Dialog } from "../../ui/input/dialog.tsx";
import type { Filter } from "../../ui/input/filters.tsx";
import { Facts } from "../../ui/page/facts.tsx";
import { ACTS, ACTS_ON } from "../../words/acts.ts";
import { ActChanges } from "./act-changes.tsx";
import { ActRecord } from "./act-record.tsx";
import { AuditList } from "./audit-list.tsx";

const FILTERS: readonly Filter[] = [
  {
    kind: "choice",
    name: "act",
    label: "Act",
    options: [
      ...Object.entries(ACTS_ON).map(([kind, records]) => [kind, `anything on ${records}`] as const),
      ...Object.entries(ACTS),
    ],
    not: true,
  },
  { kind: "text", name: "actor", label: "Actor", placeholder: "user:…", maxLength: 200, not: true },
  { kind: "text", name: "target", label: "Record", placeholder: "its id", maxLength: 200 },
  ...PERIOD,
];

/** Changes of the tenant's administration. */
export function AdminAudit() {
  const list = useListState();
  const { target } = list.values;
  const asked = { ...negatable(list.values, "act", "actor"), target, ...periodOf(list.values), skip: list.skip };
  const query = useQuery(adminAuditQuery(asked));
  const [{ entry, ...values }, setUrl] = useUrlState();
  const shown = query.data?.items.find(({ id }) => id === entry);
  return (
    <>
      <AuditList
        label="Administrative audit"
        list={list}
        filters={FILTERS}
        columns={ADMIN_COLUMNS}
        query={query}
        path={ADMIN_AUDIT}
        asked={asked}
        rowKey={({ id }) => id}
        href={({ id }) => `/audit?${new URLSearchParams({ ...(values as Record<string, string>), entry: id })}`}
      />
      <Dialog
        title={shown ? actText(shown) : "Entry"}
        wide
        opened={shown !== undefined}
        onClose={() => setUrl({ entry: undefined })}
      >
        {shown && <Entry act={shown} />}
      </Dialog>
    </>
  );
}

export const ADMIN_COLUMNS: readonly Column<AdminAct>[] = [
  { key: "act", title: "Act", main: true, cell: actText },
  { key: "target", title: "Record", cell: (act) => <ActRecord act={act} /> },
  { key: "actor", title: "By", cell: ({ actor }) => <Actor of={actor} /> },
  { key: "address", title: "From", cell: ({ address }) => address ?? "–" },
  { key: "at", title: "When", cell: ({ at }) => <Time at={at} /> },
];

/** What was done; an act of a later version of the service by its code. */
function actText({ act }: AdminAct): string {
  return ACTS[act] ?? act;
}

function Code({ children }: { children: string }) {
  return <span className="mono">{children}</span>;
}

function Entry({ act }: { act: AdminAct }) {
  return (
    <>
      <Facts
        facts={[
          ["Record", <ActRecord key="record" act={act} />],
          ["Its id", <Code key="target">{act.target}</Code>],
          ["Code of the act", <Code key="act">{act.act}</Code>],
          ["By", <Actor key="actor" of={act.actor} />],
          ["From", act.address],
          ["When", <Time key="at" at={act.at} />],
        ]}
      />
      <ActChanges before={act.before} after={act.after} />
    </>
  );
}
