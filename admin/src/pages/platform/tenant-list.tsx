import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { TENANTS, type TenantSummary, tenantsQuery } from "../../api/people/platform.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { useListState } from "../../parts/url-state.ts";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Pager } from "../../ui/display/pager.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Time } from "../../ui/display/time.tsx";
import { CreateTenant } from "./create-tenant.tsx";

const COLUMNS: readonly Column<TenantSummary>[] = [
  { key: "name", title: "Name", main: true, cell: ({ name }) => name },
  { key: "slug", title: "Topics begin with", cell: ({ slug }) => <span className="mono">{`t/${slug}/`}</span> },
  { key: "created", title: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
];

/** The tenants, and the way to another one. */
export function TenantList() {
  const { skip, onSkip } = useListState();
  const [creating, setCreating] = useState(false);
  const refresh = useRefresh();
  return (
    <>
      <div className="row">
        <Button onClick={() => setCreating(true)}>Create tenant</Button>
      </div>
      <Loaded query={useQuery(tenantsQuery(skip))}>
        {(page) => (
          <>
            <Table label="Tenants" columns={COLUMNS} rows={page.items} rowKey={({ id }) => id} />
            <Pager page={page} of="tenant" onSkip={onSkip} />
          </>
        )}
      </Loaded>
      <CreateTenant opened={creating} onClose={() => setCreating(false)} onCreated={() => void refresh(TENANTS)} />
    </>
  );
}
