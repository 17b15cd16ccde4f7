import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { deviceTypesQuery } from "../../api/device-types.ts";
import { devicesQuery } from "../../api/devices.ts";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { useMay } from "../../parts/session.ts";
import { useListState } from "../../parts/url-state.ts";
import { Pager } from "../../ui/display/pager.tsx";
import { Table } from "../../ui/display/table.tsx";
import { Filters } from "../../ui/input/filters.tsx";
import { Page } from "../../ui/page/page.tsx";
import { AddDevice } from "./add-device.tsx";
import { columnsOf } from "./columns.tsx";
import { deviceFilters, queryOf } from "./filters.ts";
import { NoDevices } from "./no-devices.tsx";

/** The devices of the tenant, or of the user's groups: found, narrowed, sorted. */
export default function DevicesPage() {
  const list = useListState();
  const [adding, setAdding] = useState(false);
  const types = useQuery(deviceTypesQuery).data?.items ?? [];
  const devices = useQuery(devicesQuery(queryOf(list)));
  const { data, error, refetch } = devices;
  const filters = deviceFilters(types);
  const narrowed = filters.some(({ name }) => list.values[name]);
  return (
    <Page
      title="Devices"
      actions={
        <>
          {useMay("createDevice") && (
            <Button variant="default" onClick={() => setAdding(true)}>
              Add device
            </Button>
          )}
          {useMay("createClaim") && (
            <Button component="a" href="/connect">
              Connect a device
            </Button>
          )}
        </>
      }
    >
      <Filters filters={filters} values={list.values} onChange={list.onFilter} />
      {error && !data && <ProblemBox error={error} onRetry={() => void refetch()} />}
      {!(error && !data) && (
        <Table
          label="Devices"
          columns={columnsOf(types)}
          rows={data?.items}
          rowKey={({ id }) => id}
          href={({ id }) => `/devices/${id}`}
          sorting={list.sorting}
          empty={<NoDevices narrowed={narrowed} onClear={() => list.onFilter(cleared(filters))} />}
        />
      )}
      <Pager page={data} of="device" onSkip={list.onSkip} />
      <AddDevice opened={adding} onClose={() => setAdding(false)} types={types} />
    </Page>
  );
}

function cleared(filters: readonly { name: string }[]): Record<string, undefined> {
  return Object.fromEntries(filters.map(({ name }) => [name, undefined]));
}
