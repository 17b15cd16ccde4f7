import { isAllowedLicence } from "../../licences.ts";

/** The parts of a CycloneDX 1.6 document that we read and change. */
export interface Bom {
  bomFormat: "CycloneDX";
  specVersion: string;
  metadata: { component: Component; [field: string]: unknown };
  components: Component[];
  dependencies: { ref: string; dependsOn?: string[] }[];
  [field: string]: unknown;
}

export interface Component {
  type: string;
  group?: string;
  name: string;
  version: string;
  "bom-ref": string;
  licenses?: ({ license: { id?: string; name?: string } } | { expression: string })[];
  components?: Component[];
  [field: string]: unknown;
}

/** Returns every component, nested ones too, without the one that the document is about. */
export function allComponents(components: readonly Component[]): Component[] {
  return components.flatMap((each) => [each, ...allComponents(each.components ?? [])]);
}

/** Returns the name under which npm installs a component. */
export function nameOf({ group, name }: Component): string {
  return group ? `${group}/${name}` : name;
}

/** Returns a copy of `bom` that is about its component `name` in place of the repository. */
export function about(bom: Bom, name: string): Bom {
  const own = bom.components.find((each) => nameOf(each) === name);
  if (own === undefined) throw new Error(`the SBOM has no component ${name}`);
  const root = bom.metadata.component["bom-ref"];
  return {
    ...bom,
    metadata: { ...bom.metadata, component: own },
    components: bom.components.filter((each) => each !== own),
    dependencies: bom.dependencies.filter(({ ref }) => ref !== root),
  };
}

/** Returns a copy of `bom` with a component more, on which the whole depends. */
export function withComponent(bom: Bom, component: Component): Bom {
  const root = bom.metadata.component["bom-ref"];
  const dependencies = bom.dependencies.map((each) =>
    each.ref === root ? { ...each, dependsOn: [...(each.dependsOn ?? []), component["bom-ref"]] } : each,
  );
  return {
    ...bom,
    components: [...bom.components, component],
    dependencies: [...dependencies, { ref: component["bom-ref"] }],
  };
}

/**
 * Returns what is wrong with `bom`, a sentence each: a missing package of `shipped` (`name@version`), an unexpected
 * package, a licence that is missing or not allowed.
 */
export function problemsOf(bom: Bom, shipped: ReadonlySet<string>, ours: ReadonlySet<string>): string[] {
  const components = allComponents(bom.components);
  const listed = new Set(components.map((each) => `${nameOf(each)}@${each.version}`));
  const missing = [...shipped].filter((each) => !listed.has(each)).map((each) => `${each} is missing`);
  const foreign = components
    .filter((each) => !shipped.has(`${nameOf(each)}@${each.version}`) && !ours.has(nameOf(each)))
    .map((each) => `${nameOf(each)}@${each.version} is listed, and not a dependency`);
  const unlicensed = [bom.metadata.component, ...components]
    .filter((each) => !hasAllowedLicence(each))
    .map((each) => `${nameOf(each)}@${each.version} has no allowed licence: ${JSON.stringify(each.licenses ?? [])}`);
  return [...missing, ...foreign, ...unlicensed];
}

function hasAllowedLicence(component: Component): boolean {
  const names = licencesOf(component);
  return names.length > 0 && names.every(isAllowedLicence);
}

/** Returns the licences of a component: identifiers, names or expressions of SPDX. */
export function licencesOf({ licenses = [] }: Component): (string | undefined)[] {
  return licenses.map((each) => ("expression" in each ? each.expression : (each.license.id ?? each.license.name)));
}
