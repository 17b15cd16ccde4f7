import { useQuery } from "@tanstack/react-query";
import { createDeviceType, DEVICE_TYPES, type DeviceType, deviceTypePageQuery } from "../../api/device-types.ts";
import { Records } from "../../parts/list/records.tsx";
import { useMay } from "../../parts/session.ts";
import { useListState } from "../../parts/url-state.ts";
import { type Column, Empty, Page, useOpens } from "../../ui/ui.ts";
import { DeviceTypeForm } from "./device-type-form.tsx";
import { silence } from "./silence.ts";

const COLUMNS: readonly Column<DeviceType>[] = [
  { title: "Name", main: true, cell: ({ name }) => name },
  { title: "Publishes on", cell: ({ publishTopics }) => <Topics topics={publishTopics} /> },
  { title: "Subscribes to", cell: ({ subscribeTopics }) => <Topics topics={subscribeTopics} /> },
  { title: "Silent for at most", cell: ({ silentForSeconds }) => silence(silentForSeconds) },
];

export default function DeviceTypesPage() {
  const list = useListState();
  const action = "Create device type";
  const [button, dialog] = useOpens({
    main: true,
    label: action,
    title: "Create a device type",
    children: (close) => (
      <DeviceTypeForm
        operation="createDeviceType"
        action={action}
        onClose={close}
        onSubmit={createDeviceType}
        done={({ name }) => `Device type ${name} is created.`}
      />
    ),
  });
  const create = useMay("createDeviceType") && button;
  return (
    <Page
      title="Device types"
      lead="A device type names the topics on which its devices may publish, and how long they may be silent."
      actions={create}
    >
      <Records
        label="Device types"
        of="device type"
        list={list}
        query={useQuery(deviceTypePageQuery(list.skip))}
        columns={COLUMNS}
        href={({ id }) => `/device-types/${id}`}
        csv={[DEVICE_TYPES, {}]}
        empty={
          <Empty title="There is no device type yet." action={create}>
            Without a type, a device publishes nowhere: create one before the first claim.
          </Empty>
        }
      />
      {dialog}
    </Page>
  );
}

function Topics({ topics }: { topics: readonly string[] }) {
  if (topics.length === 0) return <span className="soft">nothing</span>;
  return <span className="mono">{topics.join(", ")}</span>;
}
