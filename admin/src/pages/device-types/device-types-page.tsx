import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { DEVICE_TYPES, type DeviceType, deviceTypePageQuery } from "../../api/device-types.ts";
import { DownloadCsv } from "../../parts/download-csv.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { useMay } from "../../parts/session.ts";
import { toast } from "../../parts/toasts.tsx";
import { useListState } from "../../parts/url-state.ts";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Empty } from "../../ui/display/empty.tsx";
import { Pager } from "../../ui/display/pager.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Page } from "../../ui/page/page.tsx";
import { CreateDeviceType } from "./create-device-type.tsx";
import { silence } from "./silence.ts";

/** What a device may publish is said by its type. */
export default function DeviceTypesPage() {
  const { skip, onSkip } = useListState();
  const query = useQuery(deviceTypePageQuery(skip));
  const [creating, setCreating] = useState(false);
  const may = useMay("createDeviceType");
  const refresh = useRefresh();
  const create = <Button onClick={() => setCreating(true)}>Create device type</Button>;
  return (
    <Page
      title="Device types"
      lead="A device type names the topics on which its devices may publish, and how long they may be silent."
      actions={may && create}
    >
      <Loaded query={query} loading={<Rows rows={undefined} />}>
        {(page) => (
          <>
            <Rows rows={page.items} action={may && create} />
            <Pager page={page} of="device type" onSkip={onSkip}>
              <DownloadCsv list={DEVICE_TYPES} query={{}} total={page.total} />
            </Pager>
          </>
        )}
      </Loaded>
      <CreateDeviceType
        opened={creating}
        onClose={() => setCreating(false)}
        onCreated={async ({ name }) => {
          setCreating(false);
          toast(`Device type ${name} is created.`);
          await refresh(DEVICE_TYPES);
        }}
      />
    </Page>
  );
}

const COLUMNS: readonly Column<DeviceType>[] = [
  { key: "name", title: "Name", main: true, cell: ({ name }) => name },
  { key: "publish", title: "Publishes on", cell: ({ publishTopics }) => <Topics topics={publishTopics} /> },
  { key: "subscribe", title: "Subscribes to", cell: ({ subscribeTopics }) => <Topics topics={subscribeTopics} /> },
  { key: "silence", title: "Silent for at most", cell: ({ silentForSeconds }) => silence(silentForSeconds) },
];

function Rows({ rows, action }: { rows: readonly DeviceType[] | undefined; action?: React.ReactNode }) {
  return (
    <Table
      label="Device types"
      columns={COLUMNS}
      rows={rows}
      rowKey={({ id }) => id}
      href={({ id }) => `/device-types/${id}`}
      empty={
        <Empty title="There is no device type yet." action={action}>
          Without a type, a device publishes nowhere: create one before the first claim.
        </Empty>
      }
    />
  );
}

function Topics({ topics }: { topics: readonly string[] }) {
  if (topics.length === 0) return <span className="soft">nothing</span>;
  return <span className="mono">{topics.join(", ")}</span>;
}
