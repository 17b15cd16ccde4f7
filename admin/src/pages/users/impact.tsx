import type { ReactNode } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/users.ts";
import type { Schemas } from "../../api/client.ts";
import type { Role } from "../../api/people/users.ts";
import { Ago, type Column, Status, Table } from "../../ui/ui.ts";
import { effectOfScopes } from "../../words/keys.ts";

type Impact = Schemas["UserImpact"];
type Key = Impact["keys"][number];
type Client = Impact["mqttClients"][number];

const NAME: Column<Key> = { title: t.key, main: true, cell: ({ name }) => name };
const USED: Column<Key> = { title: common.lastUsed, cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} /> };
const KEY_COLUMNS: readonly Column<Key>[] = [
  NAME,
  { title: t.scopes, cell: ({ scopes }) => <span className="mono">{scopes.join(", ")}</span> },
  USED,
  { title: common.from, cell: ({ lastUsedAddress }) => lastUsedAddress ?? "–" },
];

/** Shows API keys with their last use. Programs that use one will stop working. */
export function KeysThatStop({ keys }: { keys: readonly Key[] }) {
  const empty = <p className="soft">{t.theUserHasNoApi}</p>;
  return <Table label={t.apiKeysThatStop} columns={KEY_COLUMNS} rows={keys} empty={empty} />;
}

const CLIENT_COLUMNS: readonly Column<Client>[] = [
  { title: t.mqttClient, main: true, cell: ({ clientId }) => <span className="mono">{clientId}</span> },
  { title: t.userName, cell: ({ username }) => <span className="mono">{username}</span> },
  {
    title: common.now,
    cell: ({ connected }) => (
      <Status plain of={connected ? ["good", common.connected] : ["neutral", common.notConnected]} />
    ),
  },
];

/** Shows the MQTT clients that are suspended with their owner. Connected ones will stop working. */
export function ClientsThatStop({ clients, children }: { clients: readonly Client[]; children: ReactNode }) {
  if (clients.length === 0) return null;
  return (
    <>
      <p>
        {t.theirSessionsEndAtOnce(<strong>{t.theseMqttClientsAreSuspended(clients.length)}</strong>)}
        {children}
      </p>
      <Table label={t.mqttClientsThatAreSuspended} columns={CLIENT_COLUMNS} rows={clients} />
    </>
  );
}

const EFFECTS = { none: t.stops, some: t.isLimited, all: t.goesOn } as const;
const LIMITED_COLUMNS: readonly Column<Key>[] = [
  NAME,
  { title: t.withThisRole, cell: (key) => EFFECTS[effectOfScopes(key)] },
  {
    title: t.scopesWithoutEffect,
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
          <strong>{concerned.length === 0 ? t.noApiKeyLosesA : t.theseApiKeysLoseScopes(concerned.length)}</strong>{" "}
          {t.onlyDevicesOfTheUsers(keys.length === 1 ? t.theKeyOfTheUser : t.allKeysOfTheUser(keys.length))}
        </p>
      )}
      {concerned.length > 0 && <Table label={t.apiKeysThatLoseScopes} columns={LIMITED_COLUMNS} rows={concerned} />}
      <ClientsThatStop clients={mqttClients}>{t.theyConnectAgainOnceThe}</ClientsThatStop>
    </>
  );
}
