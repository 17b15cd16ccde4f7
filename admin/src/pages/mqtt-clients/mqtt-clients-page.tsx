import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { MQTT_CLIENTS, type MqttClient, mqttClientsQuery } from "../../api/broker/mqtt-clients.ts";
import { DownloadCsv } from "../../parts/download-csv.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { useMay } from "../../parts/session.ts";
import { useListState } from "../../parts/url-state.ts";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Empty } from "../../ui/display/empty.tsx";
import { Pager } from "../../ui/display/pager.tsx";
import { Status } from "../../ui/display/status.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Ago } from "../../ui/display/time.tsx";
import { Page } from "../../ui/page/page.tsx";
import { Acts } from "./acts.tsx";
import { CreateMqttClient } from "./create-mqtt-client.tsx";

/** Gateways and services that connect with user name and password. */
export default function MqttClientsPage() {
  const { skip, onSkip } = useListState();
  const query = useQuery(mqttClientsQuery(skip));
  const [creating, setCreating] = useState(false);
  const may = useMay("createMqttClient");
  const refresh = useRefresh();
  const create = <Button onClick={() => setCreating(true)}>Register MQTT client</Button>;
  return (
    <Page
      title="MQTT clients"
      lead="Gateways and services that connect with user name and password. Devices have certificates instead."
      actions={may && create}
    >
      <Loaded query={query} loading={<Rows rows={undefined} />}>
        {(page) => (
          <>
            <Rows rows={page.items} action={may && create} />
            <Pager page={page} of="MQTT client" onSkip={onSkip}>
              <DownloadCsv list={MQTT_CLIENTS} query={{}} total={page.total} />
            </Pager>
          </>
        )}
      </Loaded>
      <CreateMqttClient
        opened={creating}
        onClose={() => setCreating(false)}
        onCreated={() => void refresh(MQTT_CLIENTS)}
      />
    </Page>
  );
}

const COLUMNS: readonly Column<MqttClient>[] = [
  { key: "clientId", title: "Client id", main: true, cell: ({ clientId }) => <span className="mono">{clientId}</span> },
  { key: "username", title: "User name", cell: ({ username }) => <span className="mono">{username}</span> },
  { key: "state", title: "State", cell: (client) => <State client={client} /> },
  { key: "publish", title: "Publishes on", cell: ({ publish }) => <Topics topics={publish} /> },
  { key: "subscribe", title: "Subscribes to", cell: ({ subscribe }) => <Topics topics={subscribe} /> },
  { key: "owner", title: "Owner", cell: ({ owner }) => owner ?? <span className="soft">none</span> },
  { key: "created", title: "Registered", cell: ({ createdAt }) => <Ago at={createdAt} /> },
  { key: "acts", title: "Actions", cell: (client) => <Acts client={client} /> },
];

function Rows({ rows, action }: { rows: readonly MqttClient[] | undefined; action?: React.ReactNode }) {
  return (
    <Table
      label="MQTT clients"
      columns={COLUMNS}
      rows={rows}
      rowKey={({ id }) => id}
      empty={
        <Empty title="There is no MQTT client yet." action={action}>
          Register one for each program that reads what devices send, or sends commands to them.
        </Empty>
      }
    />
  );
}

function State({ client }: { client: MqttClient }) {
  if (client.disabledAt !== null)
    return (
      <Status plain tone="bad">
        Disabled
      </Status>
    );
  if (client.suspended)
    return (
      <div>
        <Status plain tone="warn">
          Suspended
        </Status>
        <div className="soft">Its owner is not an active administrator.</div>
      </div>
    );
  return (
    <Status plain tone={client.connected ? "good" : "neutral"}>
      {client.connected ? "Connected" : "Not connected"}
    </Status>
  );
}

function Topics({ topics }: { topics: readonly string[] }) {
  if (topics.length === 0) return <span className="soft">nothing</span>;
  return <span className="mono">{topics.join(", ")}</span>;
}
