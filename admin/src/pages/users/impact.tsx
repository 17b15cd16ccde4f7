import type { ReactNode } from "react";
import type { Schemas } from "../../api/client.ts";
import type { Role } from "../../api/people/users.ts";
import { Ago, type Column, Status, Table } from "../../ui/ui.ts";
import { effectOfScopes } from "../../words/keys.ts";

type Impact = Schemas["UserImpact"];
type Key = Impact["keys"][number];
type Client = Impact["mqttClients"][number];

const NAME: Column<Key> = { title: "Key", main: true, cell: ({ name }) => name };
const USED: Column<Key> = { title: "Last used", cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} /> };
const KEY_COLUMNS: readonly Column<Key>[] = [
  NAME,
  { title: "Scopes", cell: ({ scopes }) => <span className="mono">{scopes.join(", ")}</span> },
  USED,
  { title: "From", cell: ({ lastUsedAddress }) => lastUsedAddress ?? "–" },
];

/** API keys with their last use: a key in use is a program that stops. */
export function KeysThatStop({ keys }: { keys: readonly Key[] }) {
  const empty = <p className="soft">The user has no API key that works.</p>;
  return <Table label="API keys that stop" columns={KEY_COLUMNS} rows={keys} empty={empty} />;
}

const CLIENT_COLUMNS: readonly Column<Client>[] = [
  { title: "MQTT client", main: true, cell: ({ clientId }) => <span className="mono">{clientId}</span> },
  { title: "User name", cell: ({ username }) => <span className="mono">{username}</span> },
  {
    title: "Now",
    cell: ({ connected }) => <Status plain of={connected ? ["good", "Connected"] : ["neutral", "Not connected"]} />,
  },
];

/** MQTT clients that are suspended with their owner; a connected one is a program that stops. */
export function ClientsThatStop({ clients, children }: { clients: readonly Client[]; children: ReactNode }) {
  if (clients.length === 0) return null;
  return (
    <>
      <p>
        <strong>{`These MQTT clients are suspended (${clients.length}):`}</strong> their sessions end at once.{" "}
        {children}
      </p>
      <Table label="MQTT clients that are suspended" columns={CLIENT_COLUMNS} rows={clients} />
    </>
  );
}

const EFFECTS = { none: "stops", some: "is limited", all: "goes on" } as const;
const LIMITED_COLUMNS: readonly Column<Key>[] = [
  NAME,
  { title: "With this role", cell: (key) => EFFECTS[effectOfScopes(key)] },
  {
    title: "Scopes without effect",
    cell: ({ ineffectiveScopes }) => <span className="mono">{ineffectiveScopes.join(", ")}</span>,
  },
  USED,
];

/** The API keys that a role of their owner stops or limits, and the MQTT clients that it suspends. */
export function RoleImpact({ role, impact: { keys, mqttClients } }: { role: Role; impact: Impact }) {
  if (role === "admin") return null;
  const concerned = keys.filter((key) => effectOfScopes(key) !== "all");
  return (
    <>
      {keys.length > 0 && (
        <p>
          <strong>
            {concerned.length === 0 ? "No API key loses a scope." : `These API keys lose scopes (${concerned.length}):`}
          </strong>{" "}
          {keys.length === 1 ? "The key of the user sees" : `All ${keys.length} keys of the user see`} only devices of
          the user's groups from then on. Being an administrator again restores everything.
        </p>
      )}
      {concerned.length > 0 && <Table label="API keys that lose scopes" columns={LIMITED_COLUMNS} rows={concerned} />}
      <ClientsThatStop clients={mqttClients}>
        They connect again once the user is an administrator again, or when another administrator enables them.
      </ClientsThatStop>
    </>
  );
}
