import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { deviceTypesQuery } from "../../api/device-types.ts";
import { DEVICES, devicesQuery } from "../../api/devices.ts";
import { thresholdChoicesQuery } from "../../api/monitoring/thresholds.ts";
import { groupChoicesQuery } from "../../api/people/groups.ts";
import { ListFrame } from "../../parts/list/list-frame.tsx";
import { SavedFilters } from "../../parts/saved-filters/saved-filters.tsx";
import { useMay } from "../../parts/session.ts";
import { useListState } from "../../parts/url-state.ts";
import { Table } from "../../ui/display/table.tsx";
import { cleared, Filters } from "../../ui/input/filters.tsx";
import { Page } from "../../ui/page/page.tsx";
import { AddDevice } from "./add-device.tsx";
import { BulkBar } from "./bulk/bulk-bar.tsx";
import { columnsOf } from "./columns.tsx";
import { deviceFilters, queryOf } from "./filters.ts";
import { NoDevices } from "./no-devices.tsx";

/** The devices of the tenant, or of the user's groups: found, narrowed, sorted. */
export default function DevicesPage() {
  const list = useListState();
  const [adding, setAdding] = useState(false);
  const types = useQuery(deviceTypesQuery).data?.items ?? [];
  const groups = useQuery(groupChoicesQuery()).data?.items ?? [];
  const packs = useQuery(thresholdChoicesQuery).data?.items ?? [];
  const query = queryOf(list);
  const read = useQuery(devicesQuery(query));
  const { data } = read;
  const filters = deviceFilters(types, groups, packs);
  const narrowed = filters.some(({ name }) => list.values[name]);
  const [selected, setSelected] = useSelection(query);
  const maySelect = useMay("changeDevices");
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
      <SavedFilters of="devices" filters={filters} list={list} />
      <ListFrame read={read} of="device" path={DEVICES} query={query} onSkip={list.onSkip}>
        {(rows) => (
          <Table
            label="Devices"
            columns={columnsOf(types)}
            rows={rows}
            rowKey={({ id }) => id}
            href={({ id }) => `/devices/${id}`}
            sorting={list.sorting}
            {...(maySelect ? { selection: { selected, onChange: setSelected } } : {})}
            empty={<NoDevices narrowed={narrowed} onClear={() => list.onFilter(cleared(filters))} />}
          />
        )}
      </ListFrame>
      <BulkBar
        selected={selected}
        onSelect={setSelected}
        page={data?.items.map(({ id }) => id) ?? []}
        query={query}
        total={data?.total ?? 0}
        types={types}
      />
      <AddDevice opened={adding} onClose={() => setAdding(false)} types={types} />
    </Page>
  );
}

/** Which devices of the page are selected: another page begins with none. */
function useSelection(query: object) {
  const shown = JSON.stringify(query);
  const [{ of, selected }, set] = useState({ of: shown, selected: NONE });
  const change = (next: ReadonlySet<string>) => set({ of: shown, selected: next });
  return [of === shown ? selected : NONE, change] as const;
}

const NONE: ReadonlySet<string> = new Set();
