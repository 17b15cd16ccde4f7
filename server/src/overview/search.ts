import { type Caller, isAdmitted, useCase } from "../access/access.ts";
import type { OverviewDeps } from "./deps.ts";
import { findCertificates } from "./search-store.ts";

/** A record found by a search. Its kind and id determine where it is shown. */
export interface Found {
  kind:
    | "device"
    | "certificate"
    | "ticket"
    | "group"
    | "shift"
    | "device_type"
    | "threshold"
    | "claim"
    | "mqtt_client"
    | "user";
  id: string;
  /** The display name of the record. */
  title: string;
}

/** The maximum number of records per kind. */
const OF_KIND = 5;
const UNFINISHED = ["open", "in_progress", "on_hold"] as const;
/** The number of newest claims whose names are searched. */
const CLAIMS = 100;
/** The number of newest MQTT clients whose names are searched. */
const MQTT_CLIENTS = 10_000;

interface Source {
  kind: Found["kind"];
  /** The use case whose access rule decides whether the caller may search this kind. */
  useCase: Parameters<typeof isAdmitted>[1];
  find(q: string): Promise<Omit<Found, "kind">[]>;
}

/**
 * Finds a few records of each kind whose name contains `q`, or whose id is `q`, for the app's search field. Returns
 * only records that the caller may see. Searches the newest of many devices and unfinished tickets only; certificates
 * are found by serial number or fingerprint.
 */
export const search = useCase({ role: "viewer" }, async (deps: OverviewDeps, caller, q: string): Promise<Found[]> => {
  const wanted = q.trim();
  if (wanted === "" || wanted.includes("\0")) return [];
  const sources = sourcesOf(deps, caller).filter((source) => isAdmitted(caller, source.useCase));
  const found = await Promise.all(
    sources.map(async ({ kind, find }) => (await find(wanted)).slice(0, OF_KIND).map((each) => ({ kind, ...each }))),
  );
  return found.flat();
});

function sourcesOf(deps: OverviewDeps, caller: Caller): Source[] {
  return [...equipment(deps, caller), ...administration(deps, caller)];
}

function equipment(deps: OverviewDeps, caller: Caller): Source[] {
  const { certificates, devices, groups, rules, tickets } = deps;
  const page = { skip: 0, limit: OF_KIND };
  return [
    {
      kind: "device",
      useCase: devices.suggestDevices,
      find: async (q) => (await devices.suggestDevices(caller, q, OF_KIND)).map(named),
    },
    {
      kind: "certificate",
      useCase: certificates.listCertificates,
      find: async (q) => await findCertificates(deps.database.db, caller, q.toLowerCase()),
    },
    {
      kind: "ticket",
      useCase: tickets.listTickets,
      find: async (q) => {
        const { items } = await tickets.listTickets(caller, { q, status: UNFINISHED, ...page, countAhead: 0 });
        return items.map(({ id, number, title }) => ({ id, title: `#${number} ${title}` }));
      },
    },
    {
      kind: "group",
      useCase: groups.listGroups,
      find: async (q) => (await groups.listGroups(caller, { q, ...page })).items.map(named),
    },
    {
      kind: "shift",
      useCase: groups.listShifts,
      find: async (q) => (await groups.listShifts(caller, { q, ...page })).items.map(named),
    },
    {
      kind: "device_type",
      useCase: devices.listDeviceTypes,
      find: async (q) => matching(q, (await devices.listDeviceTypes(caller)).map(named)),
    },
    {
      kind: "threshold",
      useCase: rules.listThresholds,
      find: async (q) => (await rules.listThresholds(caller, { q, ...page })).items.map(named),
    },
  ];
}

function administration({ access, connections, enrollment }: OverviewDeps, caller: Caller): Source[] {
  return [
    {
      kind: "claim",
      useCase: enrollment.listClaims,
      find: async (q) => {
        const { items } = await enrollment.listClaims(caller, { skip: 0, limit: CLAIMS });
        return matching(
          q,
          items.map(({ id, intendedName }) => ({ id, title: intendedName })),
        );
      },
    },
    {
      kind: "mqtt_client",
      useCase: connections.listMqttClients,
      find: async (q) => {
        const { items } = await connections.listMqttClients(caller, { skip: 0, limit: MQTT_CLIENTS });
        return matching(
          q,
          items.map(({ clientId }) => ({ id: clientId, title: clientId })),
        );
      },
    },
    {
      kind: "user",
      useCase: access.listUsers,
      find: async (q) =>
        matching(
          q,
          (await access.listUsers(caller)).map(({ id, email }) => ({ id, title: email })),
        ),
    },
  ];
}

function named({ id, name }: { id: string; name: string }): Omit<Found, "kind"> {
  return { id, title: name };
}

function matching(q: string, records: readonly Omit<Found, "kind">[]): Omit<Found, "kind">[] {
  const part = q.toLowerCase();
  return records.filter(({ id, title }) => title.toLowerCase().includes(part) || id === q);
}
