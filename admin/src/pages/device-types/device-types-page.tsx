import { useQuery } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/devices.ts";
import { createDeviceType, DEVICE_TYPES, type DeviceType, deviceTypePageQuery } from "../../api/device-types.ts";
import { Records } from "../../parts/list/records.tsx";
import { useMay } from "../../parts/session.ts";
import { useListState } from "../../parts/url-state.ts";
import { type Column, Empty, Page, useOpens } from "../../ui/ui.ts";
import { DeviceTypeForm } from "./device-type-form.tsx";
import { silence } from "./silence.ts";

const COLUMNS: readonly Column<DeviceType>[] = [
  { title: common.name, main: true, cell: ({ name }) => name },
  { title: common.publishesOn, cell: ({ publishTopics }) => <Topics topics={publishTopics} /> },
  { title: t.subscribesTo, cell: ({ subscribeTopics }) => <Topics topics={subscribeTopics} /> },
  { title: t.silentForAtMost, cell: ({ silentForSeconds }) => silence(silentForSeconds) },
];

export default function DeviceTypesPage() {
  const list = useListState();
  const action = t.createDeviceType;
  const [button, dialog] = useOpens({
    main: true,
    label: action,
    title: t.createADeviceType,
    children: (close) => (
      <DeviceTypeForm
        operation="createDeviceType"
        action={action}
        onClose={close}
        onSubmit={createDeviceType}
        done={({ name }) => t.deviceTypeIsCreated(name)}
      />
    ),
  });
  const create = useMay("createDeviceType") && button;
  return (
    <Page title={t.deviceTypes} lead={t.aDeviceTypeNamesThe} actions={create}>
      <Records
        label={t.deviceTypes}
        of={nouns.deviceType}
        list={list}
        query={useQuery(deviceTypePageQuery(list.skip))}
        columns={COLUMNS}
        href={({ id }) => `/device-types/${id}`}
        csv={[DEVICE_TYPES, {}]}
        empty={
          <Empty title={t.thereIsNoDeviceType} action={create}>
            {t.withoutATypeADevice}
          </Empty>
        }
      />
      {dialog}
    </Page>
  );
}

function Topics({ topics }: { topics: readonly string[] }) {
  if (topics.length === 0) return <span className="soft">{common.nothing}</span>;
  return <span className="mono">{topics.join(", ")}</span>;
}
