/** The package has no types of its own. */
declare module "js-yaml" {
  export function load(text: string): unknown;
  export function loadAll(text: string): unknown[];
  export function dump(value: unknown): string;
}
