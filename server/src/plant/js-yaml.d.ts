/** The part of js-yaml that is used; the package has no types. */
declare module "js-yaml" {
  /** The types of JSON: dates stay text. */
  export const CORE_SCHEMA: unknown;
  export function load(text: string, options: { schema: unknown }): unknown;
  export function dump(value: unknown, options: { schema: unknown; lineWidth: number; noRefs: boolean }): string;
}
