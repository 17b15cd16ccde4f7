import type { ReactNode } from "react";
import type { Schemas } from "../../api/client.ts";
import { Status } from "../../ui/display/status.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";

type Client = Schemas["UserImpact"]["mqttClients"][number];

const COLUMNS: readonly Column<Client>[] = [
  {
    key: "clientId",
    title: "MQTT client",
    main: true,
    cell: ({ clientId }) => <span className="mono">{clientId}</span>,
  },
  { key: "username", title: "User name", cell: ({ username }) => <span className="mono">{username}</span> },
  {
    key: "state",
    title: "Now",
    cell: ({ connected }) => (
      <Status plain tone={connected ? "good" : "neutral"}>
        {connected ? "Connected" : "Not connected"}
      </Status>
    ),
  },
];

/** MQTT clients that are suspended with their owner; a connected one is a program that stops. */
export function ClientsThatStop({ clients, children }: { clients: readonly Client[]; children: ReactNode }) {
  return (
    <>
      <p>
        <strong>{`These MQTT clients are suspended (${clients.length}):`}</strong> their sessions end at once.{" "}
        {children}
      </p>
      <Table label="MQTT clients that are suspended" columns={COLUMNS} rows={clients} rowKey={({ id }) => id} />
    </>
  );
}
