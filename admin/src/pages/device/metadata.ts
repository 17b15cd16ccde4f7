import { t } from "#texts/pages/device.ts";
export type Metadata = Record<string, unknown>;

/** Returns metadata as editable text; empty if there is none. */
export function metadataText(metadata: Metadata): string {
  return Object.keys(metadata).length === 0 ? "" : JSON.stringify(metadata, null, 2);
}

/** Returns what is wrong with the text of a JSON object, or null. The service checks its size. */
export function metadataRule(text: string): string | null {
  return parsed(text) === undefined ? t.enterAJsonObjectSuch : null;
}

/** Returns the metadata of a text that {@link metadataRule} accepts. */
export function metadataIn(text: string): Metadata {
  return parsed(text) ?? {};
}

function parsed(text: string): Metadata | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Metadata) : undefined;
  } catch {
    return undefined;
  }
}
