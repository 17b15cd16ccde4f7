import { isDeepStrictEqual } from "node:util";
import { type Entry, KINDS, type Kind, type KindName, type References } from "./kinds.ts";
import type { PlantFile } from "./plant-file.ts";

/** The records of a tenant, as the lists of the API return them. */
export type Present = Readonly<Record<KindName, Entry[]>>;

/** A difference between the file and the tenant. */
export type Change =
  | { act: "create"; kind: Kind; key: string; entry: Entry }
  | { act: "update"; kind: Kind; key: string; id: string; fields: Entry; before: Entry }
  | { act: "delete"; kind: Kind; key: string; id: string };

/** A key of the file that no record has. */
export class MissingReference extends Error {}

/** Refers to records by the keys and ids of those that exist; a key that is only in the file has no id yet. */
export function referencesOf(present: Present): References {
  const byKey = new Map(KINDS.map((kind) => [kind.name, keyed(kind, present)]));
  const byId = new Map(
    KINDS.map((kind) => [
      kind.name,
      new Map([...byKey.get(kind.name)!].map(([key, record]) => [idOf(kind, record), key])),
    ]),
  );
  return {
    id(kind, key) {
      const record = byKey.get(kind)!.get(key);
      if (!record) throw new MissingReference(`there is no ${nounOf(kind)} ${key}`);
      return idOf(kindOf(kind), record);
    },
    key: (kind, id) => byId.get(kind)!.get(id) ?? id,
  };
}

/** Returns the id in the paths of the API. */
export function idOf(kind: Kind, record: Entry): string {
  return kind.name === "mqttClients" ? record.clientId : record.id;
}

/** Reports whether records of the kind are keyed by their own ids, and not by an external id or name. */
function isKeyedById({ name }: Kind): boolean {
  return name === "devices" || name === "mqttClients";
}

/**
 * Returns the records by their keys: the external id; else the name, if no other record has this key; else the id. The
 * lists of the API are newest first, so the newest of several records of a name has it.
 */
function keyed(kind: Kind, present: Present): Map<string, Entry> {
  const records = present[kind.name];
  const free = (record: Entry): string => (byKey.has(record.name) ? idOf(kind, record) : record.name);
  const isFixed = (record: Entry) => isKeyedById(kind) || record.externalId;
  const byKey = new Map<string, Entry>();
  for (const record of records.filter(isFixed))
    byKey.set(isKeyedById(kind) ? idOf(kind, record) : record.externalId, record);
  for (const record of records.filter((each) => !isFixed(each))) byKey.set(free(record), record);
  return byKey;
}

function kindOf(name: KindName): Kind {
  return KINDS.find((kind) => kind.name === name)!;
}

function nounOf(name: KindName): string {
  return kindOf(name).noun;
}

/**
 * Compares the file with the tenant. Fields and sections that the file lacks are not compared.
 *
 * @param prune whether records with an external id that a section lacks are deleted; devices never are
 * @throws Error for an unknown key of another record, and for a key that the file has twice
 */
export function planOf(file: PlantFile, present: Present, { prune }: { prune: boolean }): Change[] {
  const references = referencesOf(present);
  const wanted = KINDS.flatMap((kind) => changesOf(kind, file, present, references));
  const deleted = prune ? [...KINDS].reverse().flatMap((kind) => deletions(kind, file, present)) : [];
  checkReferences(file, present, deleted);
  return [...wanted, ...deleted];
}

function changesOf(kind: Kind, file: PlantFile, present: Present, references: References): Change[] {
  const existing = keyed(kind, present);
  return entriesOf(kind, file).flatMap((entry): Change[] => {
    const key = kind.keyOf(entry);
    const record = existing.get(key);
    if (!record) return [{ act: "create", kind, key, entry }];
    const before = kind.toEntry(record, references);
    const fields = differences(kind.normal?.(entry) ?? entry, before);
    if (!isKeyedById(kind) && record.externalId === null) fields.externalId = key;
    if (Object.keys(fields).length === 0) return [];
    return [{ act: "update", kind, key, id: idOf(kind, record), fields, before }];
  });
}

function entriesOf(kind: Kind, file: PlantFile): Entry[] {
  const entries: Entry[] = file[kind.name] ?? [];
  const seen = new Set<string>();
  for (const entry of entries) {
    const key = kind.keyOf(entry);
    if (seen.has(key)) throw new Error(`the file has the ${kind.noun} ${key} twice`);
    seen.add(key);
  }
  return entries;
}

/** Checks that every key within an entry is one of the file or of a record that stays. */
function checkReferences(file: PlantFile, present: Present, deleted: Change[]): void {
  const known = new Map(
    KINDS.map((kind) => {
      const keys = new Set([...keyed(kind, present).keys()]);
      for (const change of deleted) if (change.kind === kind) keys.delete(change.key);
      for (const entry of entriesOf(kind, file)) keys.add(kind.keyOf(entry));
      return [kind.name, keys];
    }),
  );
  for (const kind of KINDS)
    for (const entry of entriesOf(kind, file))
      for (const [field, to] of Object.entries(kind.refers ?? {}))
        for (const key of [entry[field] ?? []].flat())
          if (!known.get(to)!.has(key))
            throw new MissingReference(
              `${kind.noun} ${kind.keyOf(entry)}: there is no ${nounOf(to)} ${key}, neither in the file nor in the tenant`,
            );
}

/** Lists whose order means nothing. */
export const SETS = new Set([
  "thresholds",
  "groups",
  "shifts",
  "memberUserIds",
  "userIds",
  "daysOfWeek",
  "channels",
  "publish",
  "subscribe",
  "publishTopics",
  "subscribeTopics",
]);

function differences(entry: Entry, before: Entry): Entry {
  const changed = Object.entries(entry).filter(([name, value]) => {
    if (name === "key" || value === undefined) return false;
    return !isDeepStrictEqual(ordered(name, value), ordered(name, before[name]));
  });
  return Object.fromEntries(changed);
}

function ordered(name: string, value: unknown): unknown {
  if (!SETS.has(name) || !Array.isArray(value)) return value;
  return [...new Set(value.map((each) => JSON.stringify(sortedKeys(each))))].sort();
}

function sortedKeys(value: unknown): unknown {
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function deletions(kind: Kind, file: PlantFile, present: Present): Change[] {
  if (!kind.remove || file[kind.name] === undefined) return [];
  const kept = new Set(entriesOf(kind, file).map((entry) => kind.keyOf(entry)));
  return [...keyed(kind, present)]
    .filter(([key, record]) => record.externalId && !kept.has(key))
    .map(([key, record]) => ({ act: "delete", kind, key, id: idOf(kind, record) }));
}

/** Returns the whole tenant as a file. */
export function exportOf(present: Present): PlantFile {
  const references = referencesOf(present);
  const sections = KINDS.map((kind) => {
    const entries = [...keyed(kind, present)].map(([key, record]) => {
      const entry = kind.toEntry(record, references);
      return isKeyedById(kind) ? entry : { ...entry, key };
    });
    return [kind.name, entries.sort((one, other) => (kind.keyOf(one) < kind.keyOf(other) ? -1 : 1))] as const;
  });
  return Object.fromEntries(sections.filter(([, entries]) => entries.length > 0));
}
