import type { Schemas } from "../../api/client.ts";
import type { Role } from "../../api/people/users.ts";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Ago } from "../../ui/display/time.tsx";
import { effectOfScopes } from "../../words/keys.ts";
import { ClientsThatStop } from "./clients-that-stop.tsx";

type Impact = Schemas["UserImpact"];
type Key = Impact["keys"][number];

const COLUMNS: readonly Column<Key>[] = [
  { key: "name", title: "Key", main: true, cell: ({ name }) => name },
  { key: "effect", title: "With this role", cell: (key) => EFFECTS[effectOfScopes(key)] },
  {
    key: "scopes",
    title: "Scopes without effect",
    cell: ({ ineffectiveScopes }) => <span className="mono">{ineffectiveScopes.join(", ")}</span>,
  },
  { key: "used", title: "Last used", cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} /> },
];

const EFFECTS = { none: "stops", some: "is limited", all: "goes on" } as const;

/** Which API keys a role of their owner stops or limits, and which MQTT clients it suspends, before it is given. */
export function RoleImpact({ role, impact: { keys, mqttClients } }: { role: Role; impact: Impact }) {
  if (role === "admin") return null;
  return (
    <>
      {keys.length > 0 && <LimitedKeys keys={keys} />}
      {mqttClients.length > 0 && (
        <ClientsThatStop clients={mqttClients}>
          They connect again once the user is an administrator again, or when another administrator enables them.
        </ClientsThatStop>
      )}
    </>
  );
}

function LimitedKeys({ keys }: { keys: readonly Key[] }) {
  const concerned = keys.filter((key) => effectOfScopes(key) !== "all");
  return (
    <>
      <p>
        <strong>
          {concerned.length === 0 ? "No API key loses a scope." : `These API keys lose scopes (${concerned.length}):`}
        </strong>{" "}
        {keys.length === 1 ? "The key of the user sees" : `All ${keys.length} keys of the user see`} only devices of the
        user's groups from then on. Being an administrator again restores everything.
      </p>
      {concerned.length > 0 && (
        <Table label="API keys that lose scopes" columns={COLUMNS} rows={concerned} rowKey={({ id }) => id} />
      )}
    </>
  );
}
