import type { Schemas } from "../../api/client.ts";
import { Word } from "../../parts/word.tsx";
import type { Column } from "../../ui/display/table.tsx";
import { Ago } from "../../ui/display/time.tsx";
import { CERTIFICATE_STATES, CONNECTIVITY } from "../../words/devices.ts";

type Device = Schemas["Device"];

/** The columns of the list of devices. */
export function columnsOf(types: readonly { id: string; name: string }[]): readonly Column<Device>[] {
  const nameOfType = new Map(types.map(({ id, name }) => [id, name]));
  return [
    { key: "name", title: "Name", sort: "name", main: true, cell: ({ name }) => name },
    { key: "id", title: "Device id", sort: "id", cell: ({ id }) => <span className="mono">{id}</span> },
    {
      key: "status",
      title: "Connection",
      cell: ({ connectivity }) => <Word of={CONNECTIVITY} value={connectivity.status} plain />,
    },
    {
      key: "certificate",
      title: "Certificate",
      sort: "certificateExpiresAt",
      cell: ({ certificateState }) => <Word of={CERTIFICATE_STATES} value={certificateState} plain />,
    },
    {
      key: "type",
      title: "Type",
      cell: ({ deviceTypeId }) =>
        deviceTypeId ? (nameOfType.get(deviceTypeId) ?? deviceTypeId) : <span className="soft">none</span>,
    },
    { key: "seen", title: "Last seen", sort: "lastSeenAt", cell: ({ lastSeenAt }) => <Ago at={lastSeenAt} /> },
  ];
}
