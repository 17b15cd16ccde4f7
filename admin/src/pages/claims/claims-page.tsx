import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { CLAIMS, type Claim, claimsQuery } from "../../api/claims.ts";
import { Actor } from "../../parts/actor.tsx";
import { DownloadCsv } from "../../parts/download-csv.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { useMay } from "../../parts/session.ts";
import { useListState } from "../../parts/url-state.ts";
import { Empty } from "../../ui/display/empty.tsx";
import { Pager } from "../../ui/display/pager.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Ago, Time } from "../../ui/display/time.tsx";
import { type Filter, Filters } from "../../ui/input/filters.tsx";
import { Page } from "../../ui/page/page.tsx";
import { ClaimState } from "./claim-state.tsx";
import { CreateClaim } from "./create-claim.tsx";

const FILTERS: readonly Filter[] = [
  {
    kind: "choice",
    name: "status",
    label: "State",
    options: [
      ["pending", "open or expired"],
      ["used", "used"],
      ["revoked", "revoked"],
    ],
  },
];

/** Claims with which devices enroll themselves. */
export default function ClaimsPage() {
  const { values, skip, onFilter, onSkip } = useListState();
  const query = useQuery(claimsQuery((values.status || undefined) as Claim["status"] | undefined, skip));
  const [creating, setCreating] = useState(false);
  const may = useMay("createClaim");
  const create = <Button onClick={() => setCreating(true)}>Create claim</Button>;
  return (
    <Page
      title="Claims"
      lead="With a claim code a device enrolls itself: it makes its own key and gets a certificate for it."
      actions={may && create}
    >
      <Filters filters={FILTERS} values={values} onChange={onFilter} />
      <Loaded query={query} loading={<Table label="Claims" columns={COLUMNS} rows={undefined} rowKey={idOf} />}>
        {(page) => (
          <>
            <Table
              label="Claims"
              columns={COLUMNS}
              rows={page.items}
              rowKey={idOf}
              href={({ id }) => `/claims/${id}`}
              empty={<Nothing filtered={Boolean(values.status)} action={may && create} />}
            />
            <Pager page={page} of="claim" onSkip={onSkip}>
              <DownloadCsv list={CLAIMS} query={{ status: values.status }} total={page.total} />
            </Pager>
          </>
        )}
      </Loaded>
      <CreateClaim opened={creating} onClose={() => setCreating(false)} />
    </Page>
  );
}

const COLUMNS: readonly Column<Claim>[] = [
  { key: "name", title: "For", main: true, cell: ({ intendedName }) => intendedName },
  { key: "state", title: "State", cell: (claim) => <ClaimState claim={claim} plain /> },
  { key: "uses", title: "Uses", numeric: true, cell: ({ usedCount, maxUses }) => `${usedCount} of ${maxUses}` },
  { key: "code", title: "Code", cell: ({ codeHint }) => <span className="mono">…-{codeHint}</span> },
  { key: "expires", title: "Expires", cell: ({ expiresAt }) => <Ago at={expiresAt} /> },
  { key: "created", title: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
  { key: "by", title: "By", cell: ({ createdBy }) => <Actor of={createdBy} /> },
];

function idOf({ id }: Claim): string {
  return id;
}

function Nothing({ filtered, action }: { filtered: boolean; action: React.ReactNode }) {
  return filtered ? (
    <Empty title="No claim matches." action={<a href="/claims">Clear filters</a>} />
  ) : (
    <Empty title="There is no claim yet." action={action}>
      Create one for each device, or one with several uses for a batch of devices.
    </Empty>
  );
}
