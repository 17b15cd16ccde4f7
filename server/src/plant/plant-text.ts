import { CORE_SCHEMA, dump, load } from "js-yaml";
import { type PlantFile, plantFile } from "./plant-file.ts";

/** Parses a plant's description, YAML or JSON. @throws Error that names the place of the first mistake */
export function parsePlant(text: string, file: string): PlantFile {
  let value: unknown;
  try {
    value = load(text, { schema: CORE_SCHEMA }) ?? {};
  } catch (error) {
    throw new Error(`${file} is not YAML: ${(error as Error).message}`);
  }
  const parsed = plantFile.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  throw new Error(`${file}: ${path.join(".") || "the file"}: ${message}`);
}

/** Returns a plant's description as YAML, with the address of its schema on the service for editors. */
export function plantText(plant: PlantFile, server: string): string {
  const schema = `# yaml-language-server: $schema=${server}/openapi/plant.schema.json\n`;
  return schema + dump(plant, { schema: CORE_SCHEMA, lineWidth: 120, noRefs: true });
}
