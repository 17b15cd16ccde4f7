import { common } from "#texts/common.ts";
import { t } from "#texts/pages/devices.ts";
import { t as fleet } from "#texts/pages/fleet.ts";
import type { Device } from "../../api/devices.ts";
import { Word } from "../../parts/word.tsx";
import { Ago, type Column, type FilterValues } from "../../ui/ui.ts";
import { CERTIFICATE_STATES, CONNECTIVITY } from "../../words/devices.ts";
import { METADATA, type MetadataField } from "./filters.ts";

type Named = Readonly<Record<"id" | "name", string>>;

export interface ShownColumns {
  columns: readonly Column<Device>[];
  /** Every column that can be shown, by its name in the address. */
  choices: readonly (readonly [name: string, title: string])[];
  /** The names of the shown ones. */
  chosen: readonly string[];
  isDense: boolean;
}

const USUAL = ["id", "connection", "certificate", "type", "lastSeen"];

/** The columns that the address chooses: `columns=id,group,metadata.site`, `density=compact`. */
export function useDeviceColumns(
  types: readonly Named[],
  groups: readonly Named[],
  fields: readonly MetadataField[],
  { columns, density }: FilterValues,
): ShownColumns {
  const all = new Map([...fixedColumns(types, groups), ...metadataColumns(fields, columns)]);
  const chosen = columns === undefined ? USUAL : columns.split(",").filter((name) => all.has(name));
  return {
    columns: [NAME, ...chosen.map((name) => all.get(name)!)],
    choices: [...all].map(([name, { title }]) => [name, title] as const),
    chosen,
    isDense: density === "compact",
  };
}

const NAME: Column<Device> = {
  title: common.name,
  sort: "name",
  main: true,
  cell: ({ name }) => <Clipped text={name} />,
};

/** Text of any length and direction in one line; its hint has all of it. */
function Clipped({ text }: { text: string }) {
  return (
    <span className="clipped" title={text} dir="auto">
      {text}
    </span>
  );
}

const none = <span className="soft">{common.none}</span>;

function fixedColumns(types: readonly Named[], groups: readonly Named[]): [string, Column<Device>][] {
  const nameOf = new Map([...types, ...groups].map(({ id, name }) => [id, name]));
  const text = (title: string, of: (device: Device) => string | null): Column<Device> => ({
    title,
    cell: (device) => (of(device) ? <Clipped text={of(device)!} /> : none),
  });
  return [
    ["id", { title: common.deviceId, sort: "id", cell: ({ id }) => <span className="mono">{id}</span> }],
    [
      "connection",
      { title: t.connection, cell: ({ connectivity }) => <Word of={CONNECTIVITY} value={connectivity.status} plain /> },
    ],
    [
      "certificate",
      {
        title: common.certificate,
        sort: "certificateExpiresAt",
        cell: ({ certificateState }) => <Word of={CERTIFICATE_STATES} value={certificateState} plain />,
      },
    ],
    ["type", text(common.type, ({ deviceTypeId: id }) => id && (nameOf.get(id) ?? id))],
    ["group", text(common.groups, ({ groupIds }) => groupIds.map((id) => nameOf.get(id) ?? id).join(", "))],
    ["lastSeen", { title: t.lastSeen, sort: "lastSeenAt", cell: ({ lastSeenAt }) => <Ago at={lastSeenAt} /> }],
    ["created", { title: common.created, sort: "createdAt", cell: ({ createdAt }) => <Ago at={createdAt} /> }],
    ["description", text(common.description, ({ description }) => description)],
    ["fingerprint", text(fleet.hardwareFingerprint, ({ hardwareFingerprint }) => hardwareFingerprint)],
    ["model", text(fleet.hardwareModel, ({ hardwareModel }) => hardwareModel)],
    ["agent", text(fleet.agentVersion, ({ agentVersion }) => agentVersion)],
  ];
}

/** A column per field of the metadata, also for a field of the address that no device has any more. */
function metadataColumns(fields: readonly MetadataField[], columns: string | undefined): [string, Column<Device>][] {
  const asked = columns?.split(",").filter((name) => name.startsWith(METADATA)) ?? [];
  const names = new Set([...fields.map(({ name }) => name), ...asked.map((name) => name.slice(METADATA.length))]);
  return [...names].map((name) => [
    METADATA + name,
    { title: name, cell: ({ metadata }) => <MetadataValue value={metadata[name]} /> },
  ]);
}

function MetadataValue({ value }: { value: unknown }) {
  if (value === undefined || value === null) return <span className="soft">–</span>;
  return <Clipped text={typeof value === "string" ? value : JSON.stringify(value)} />;
}
