import { useQuery } from "@tanstack/react-query";
import { groupChoicesQuery } from "../../api/people/groups.ts";
import { Actor } from "../actor.tsx";

interface RecordLinkProps {
  /** As audits name kinds of records: `group`, `device-type`. */
  kind: string;
  id: string;
  /** What the record is called, where the caller knows it. */
  name?: string | undefined;
  /** It was deleted: there is nothing to open. */
  gone?: boolean;
}

/** Records that do something themselves are named like it. */
const ACTORS: Readonly<Record<string, string>> = { user: "user", key: "apikey", claim: "claim", device: "device" };

/** What is part of a group is found on its screen; the id of a webhook begins with that of its group. */
const OF_GROUP: ReadonlySet<string> = new Set(["group", "channel", "webhook", "webhook-secret"]);
const UUID_LENGTH = 36;

const SCREENS: Readonly<Record<string, readonly [label: string, href: (id: string) => string]>> = {
  anomaly: ["anomaly", (id) => `/anomalies/${id}`],
  certificate: ["certificate", (id) => `/certificates/${id}`],
  "device-type": ["device type", (id) => `/device-types/${id}`],
  invite: ["invitation", () => "/users"],
  "mqtt-client": ["MQTT client", () => "/mqtt-clients"],
  shift: ["shift", (id) => `/shifts?shift=${id}`],
  tenant: ["settings", () => "/settings"],
  threshold: ["threshold pack", (id) => `/thresholds/${id}`],
  ticket: ["ticket", (id) => `/tickets/${id}`],
};

/** A record that an audit names: by its name where there is one, and as a link where it has a screen. */
export function RecordLink({ kind, id, name, gone = false }: RecordLinkProps) {
  if (gone) return <>{name ?? <ShortId id={id} />}</>;
  const actor = ACTORS[kind];
  if (actor) return <Actor of={`${actor}:${id}`} />;
  if (OF_GROUP.has(kind)) return <GroupLink id={id.slice(0, UUID_LENGTH)} name={name} />;
  const screen = SCREENS[kind];
  if (!screen) return <>{name ?? <ShortId id={id} />}</>;
  const [label, href] = screen;
  return (
    <a href={href(encodeURIComponent(id))}>
      {name ?? (
        <>
          {label} <ShortId id={id} />
        </>
      )}
    </a>
  );
}

function GroupLink({ id, name }: { id: string; name: string | undefined }) {
  const groups = useQuery({ ...groupChoicesQuery(), enabled: name === undefined }).data?.items;
  const known = name ?? groups?.find((group) => group.id === id)?.name;
  return (
    <a href={`/groups/${id}`}>
      {known ?? (
        <>
          group <ShortId id={id} />
        </>
      )}
    </a>
  );
}

/** The end of a UUID, which is where they differ; other ids as they are. */
function ShortId({ id }: { id: string }) {
  const isUuid = /^[0-9a-f-]{36}$/.test(id);
  return (
    <span className="mono" title={id}>
      {isUuid ? `…${id.slice(-8)}` : id}
    </span>
  );
}
