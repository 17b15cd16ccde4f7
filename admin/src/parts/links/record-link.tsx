import { useQuery } from "@tanstack/react-query";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/parts.ts";
import { groupChoicesQuery } from "../../api/people/groups.ts";
import { Actor } from "../actor.tsx";

interface RecordLinkProps {
  /** The kind of record, in the words of audits: `group`, `device-type`. */
  kind: string;
  id: string;
  /** The name of the record, if the caller knows it. */
  name?: string | undefined;
  /** Set for a deleted record, which has no screen. */
  gone?: boolean;
}

/** Records that act themselves are named like actors. */
const ACTORS: Readonly<Record<string, string>> = {
  user: "user",
  key: "apikey",
  claim: "claim",
  device: "device",
  session: "user",
};

/** Parts of a group are on its screen; the id of a webhook begins with that of its group. */
const OF_GROUP: ReadonlySet<string> = new Set(["group", "channel", "webhook", "webhook-secret"]);
const UUID_LENGTH = 36;
const UUID = /^[0-9a-f-]{36}$/;

const SCREENS: Readonly<Record<string, readonly [label: string, href: (id: string) => string]>> = {
  anomaly: ["anomaly", (id) => `/anomalies/${id}`],
  certificate: [nouns.certificate.one, (id) => `/certificates/${id}`],
  "device-type": [t.deviceType, (id) => `/device-types/${id}`],
  invite: ["invitation", () => "/users"],
  "mqtt-client": [t.mqttClient, () => "/mqtt-clients"],
  shift: [nouns.shift.one, (id) => `/shifts?shift=${id}`],
  tenant: ["settings", () => "/settings"],
  threshold: [t.thresholdPack, (id) => `/thresholds/${id}`],
  ticket: [nouns.ticket.one, (id) => `/tickets/${id}`],
};

/** A record of an audit: by its name if known, and as a link to its screen. */
export function RecordLink({ kind, id, name, gone = false }: RecordLinkProps) {
  if (gone) return <>{name ?? <ShortId id={id} />}</>;
  const actor = ACTORS[kind];
  if (kind === "session" && !UUID.test(id)) return <>{t.manyAccounts}</>;
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
  return <a href={`/groups/${id}`}>{known ?? <>{t.group(<ShortId id={id} />)}</>}</a>;
}

/** The end of a UUID, which differs most; other ids are shown whole. */
function ShortId({ id }: { id: string }) {
  const isUuid = UUID.test(id);
  return (
    <span className="mono" title={id}>
      {isUuid ? `…${id.slice(-8)}` : id}
    </span>
  );
}
