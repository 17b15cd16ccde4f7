import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type ApiKey, KEYS, keysQuery } from "../../api/keys.ts";
import { DownloadCsv } from "../../parts/download-csv.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { useMay } from "../../parts/session.ts";
import { useListState, useUrlState } from "../../parts/url-state.ts";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Empty } from "../../ui/display/empty.tsx";
import { Pager } from "../../ui/display/pager.tsx";
import { Status } from "../../ui/display/status.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Ago, Time, useNow } from "../../ui/display/time.tsx";
import { type Filter, Filters } from "../../ui/input/filters.tsx";
import { Page } from "../../ui/page/page.tsx";
import { stateOfKey } from "../../words/keys.ts";
import { CreateKey } from "./create-key.tsx";
import { KeyDialog } from "./key-dialog.tsx";

const FILTERS: readonly Filter[] = [
  {
    kind: "choice",
    name: "state",
    label: "State",
    options: [
      ["active", "active"],
      ["ended", "ended"],
    ],
  },
];

/** Keys with which programs use the public API. */
export default function KeysPage() {
  const { values, skip, onFilter, onSkip } = useListState();
  const state = values.state as "active" | "ended" | undefined;
  const query = useQuery(keysQuery({ state, userId: values.userId, skip }));
  const [creating, setCreating] = useState(false);
  const [{ key: shown }, setUrl] = useUrlState();
  const may = useMay("createKey");
  const refresh = useRefresh();
  const create = <Button onClick={() => setCreating(true)}>Create API key</Button>;
  const filtered = state !== undefined || values.userId !== undefined;
  return (
    <Page
      title="API keys"
      lead="With an API key, a program uses the public API in the name of the administrator who made it."
      actions={may && create}
    >
      <Filters filters={FILTERS} values={values} onChange={onFilter} />
      {values.userId !== undefined && (
        <p>
          Only keys of one user. <a href="/keys">Show all</a>
        </p>
      )}
      <Loaded query={query} loading={<Table label="API keys" columns={COLUMNS} rows={undefined} rowKey={idOf} />}>
        {(page) => (
          <>
            <Table
              label="API keys"
              columns={COLUMNS}
              rows={page.items}
              rowKey={idOf}
              href={({ id }) => `/keys?${new URLSearchParams({ ...filled(values), key: id })}`}
              empty={
                filtered ? (
                  <Empty title="No API key matches." action={<a href="/keys">Clear filters</a>} />
                ) : (
                  <Empty title="There is no API key yet." action={may && create}>
                    A program needs one to call the public API.
                  </Empty>
                )
              }
            />
            <Pager page={page} of="API key" onSkip={onSkip}>
              <DownloadCsv list={KEYS} query={{ state, userId: values.userId }} total={page.total} />
            </Pager>
            <KeyDialog apiKey={page.items.find(({ id }) => id === shown)} onClose={() => setUrl({ key: undefined })} />
          </>
        )}
      </Loaded>
      <CreateKey opened={creating} onClose={() => setCreating(false)} onCreated={() => void refresh(KEYS)} />
    </Page>
  );
}

const COLUMNS: readonly Column<ApiKey>[] = [
  { key: "name", title: "Name", main: true, cell: ({ name }) => name },
  { key: "state", title: "State", cell: (key) => <State apiKey={key} /> },
  { key: "scopes", title: "Scopes", cell: ({ scopes }) => <span className="mono">{scopes.join(", ")}</span> },
  { key: "owner", title: "Owner", cell: ({ user }) => user },
  { key: "used", title: "Last used", cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} /> },
  { key: "expires", title: "Expires", cell: ({ expiresAt }) => <Time at={expiresAt} none="never" /> },
];

function idOf({ id }: ApiKey): string {
  return id;
}

function State({ apiKey }: { apiKey: ApiKey }) {
  const [tone, label] = stateOfKey(apiKey, useNow());
  return (
    <Status plain tone={tone}>
      {label}
    </Status>
  );
}

function filled(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => !!entry[1]));
}
