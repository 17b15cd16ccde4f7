import type { ImportRow } from "../../../api/devices.ts";
import { readCsv } from "./read-csv.ts";

export interface ImportFile {
  rows: ImportRow[];
  /** Places of rows that name the device of an earlier row, each with the place of that row. */
  repeats: ReadonlyMap<number, number>;
  /** The titles of columns that are not imported. */
  ignored: string[];
  /** Whether a column identifies the devices. */
  hasKey: boolean;
}

type Setter = (row: ImportRow, text: string) => void;

const SETTERS: Readonly<Record<string, Setter>> = {
  id: (row, text) => {
    row.id = text;
  },
  hardwarefingerprint: (row, text) => {
    row.hardwareFingerprint = text;
  },
  name: (row, text) => {
    row.name = text;
  },
  description: (row, text) => {
    row.description = text;
  },
  type: (row, text) => {
    row.deviceType = text;
  },
  groups: (row, text) => {
    row.groups = text
      .split(";")
      .map((each) => each.trim())
      .filter((each) => each !== "");
  },
};
/** The titles of an exported list, and short ones. */
const ALIASES: Readonly<Record<string, string>> = {
  fingerprint: "hardwarefingerprint",
  devicetypeid: "type",
  devicetype: "type",
  groupids: "groups",
  group: "groups",
};
const METADATA = "metadata.";

/** Reads the rows of a file. An empty cell is no field: it changes nothing. */
export function importRows(text: string): ImportFile {
  const [titles = [], ...lines] = readCsv(text);
  const setters = titles.map(setterOf);
  const rows = lines.map((cells) => {
    const row: ImportRow = {};
    for (const [at, setter] of setters.entries()) {
      const value = unguarded((cells[at] ?? "").trim());
      if (value !== "") setter?.(row, value);
    }
    return row;
  });
  return {
    rows,
    repeats: repeatsOf(rows),
    ignored: titles.filter((_, at) => setters[at] === undefined).map((title) => title.trim()),
    hasKey: setters.some((setter) => setter === SETTERS.id || setter === SETTERS.hardwarefingerprint),
  };
}

/** Two rows of one device would change it twice, and with every import again. */
function repeatsOf(rows: readonly ImportRow[]): Map<number, number> {
  const [ofId, ofFingerprint] = [new Map<string, number>(), new Map<string, number>()];
  const repeats = new Map<number, number>();
  for (const [at, { id = "", hardwareFingerprint = "" }] of rows.entries()) {
    const earlier = ofId.get(id) ?? ofFingerprint.get(hardwareFingerprint);
    if (earlier !== undefined) repeats.set(at, earlier);
    else {
      if (id !== "") ofId.set(id, at);
      if (hardwareFingerprint !== "") ofFingerprint.set(hardwareFingerprint, at);
    }
  }
  return repeats;
}

function setterOf(title: string): Setter | undefined {
  const name = title.trim();
  if (name.toLowerCase().startsWith(METADATA)) {
    const field = name.slice(METADATA.length);
    return (row, text) => {
      row.metadata = { ...row.metadata, [field]: typedValue(text) };
    };
  }
  if (name.toLowerCase() === "metadata") return addMetadata;
  const key = name.toLowerCase();
  return SETTERS[ALIASES[key] ?? key];
}

/** The column `metadata` of an exported list has JSON; anything else is refused by the service as a whole. */
function addMetadata(row: ImportRow, text: string): void {
  try {
    const fields: unknown = JSON.parse(text);
    if (typeof fields === "object" && fields !== null) row.metadata = { ...fields, ...row.metadata };
  } catch {
    row.metadata = { ...row.metadata, metadata: text };
  }
}

/** Numbers and booleans as such, so that a repeated import of an exported list changes nothing. */
function typedValue(text: string): unknown {
  if (/^-?(0|[1-9]\d{0,14})(\.\d{1,9})?$/.test(text)) return Number(text);
  return text === "true" ? true : text === "false" ? false : text;
}

/** Exported cells that a spreadsheet would run have an apostrophe in front. */
function unguarded(text: string): string {
  return /^'[=+\-@\t\r]/.test(text) ? text.slice(1) : text;
}
