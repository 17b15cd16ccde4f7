/** JSON schemas of Kubernetes objects, as kubeconform reads them: from Kubernetes' own OpenAPI document. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../run.ts";

interface Definition {
  type?: string;
  format?: string;
  properties?: Record<string, object>;
  additionalProperties?: unknown;
  "x-kubernetes-group-version-kind"?: { group: string; version: string; kind: string }[];
}

type Definitions = Record<string, Definition>;

/** The location at which kubeconform finds the schemas that {@link writeSchemas} has written. */
export const SCHEMA_FILE = "{{ .ResourceKind }}-{{ .ResourceAPIVersion }}.json";

/** The groups of the objects that the chart makes. */
const GROUPS = ["", "apps", "batch", "networking.k8s.io", "policy"];

const META = { type: "object" };
const text = { type: "string" };

/** Objects of operators, as far as the chart uses them; Kubernetes' document does not have them. */
const CUSTOM: Readonly<Record<string, object>> = {
  "certificate-v1": strict({
    secretName: text,
    dnsNames: { type: "array", items: text, minItems: 1 },
    privateKey: { type: "object", properties: { algorithm: { enum: ["RSA", "ECDSA"] }, rotationPolicy: text } },
    issuerRef: strict({ group: text, kind: text, name: text }),
  }),
  "podmonitor-v1": strict({
    jobLabel: text,
    selector: strict({ matchLabels: { type: "object" } }),
    podMetricsEndpoints: { type: "array", items: strict({ port: text, interval: text }) },
  }),
};

function strict(properties: Record<string, object>): object {
  return { type: "object", properties, additionalProperties: false, required: Object.keys(properties) };
}

/**
 * Writes the schemas of a version of Kubernetes, in which a field that it does not know is an error.
 * @param version of the Go module `k8s.io/kubernetes`, which contains the document
 */
export async function writeSchemas(version: string, folder: string): Promise<void> {
  const answer = await run("go", ["mod", "download", "-json", `k8s.io/kubernetes@${version}`], { cwd: folder });
  const { Dir: module } = JSON.parse(answer) as { Dir: string };
  const document = JSON.parse(readFileSync(join(module, "api/openapi-spec/swagger.json"), "utf8"));
  const definitions = strictDefinitions(document.definitions);
  const write = (name: string, schema: object) => writeFileSync(join(folder, `${name}.json`), JSON.stringify(schema));
  for (const [name, definition] of Object.entries(definitions))
    for (const { group, version, kind } of definition["x-kubernetes-group-version-kind"] ?? [])
      if (GROUPS.includes(group) && version === "v1" && definition.properties?.spec !== undefined)
        write(`${kind.toLowerCase()}-v1`, { $ref: `#/definitions/${name}`, definitions });
  const account = "io.k8s.api.core.v1.ServiceAccount";
  write("serviceaccount-v1", { $ref: `#/definitions/${account}`, definitions });
  for (const [name, spec] of Object.entries(CUSTOM))
    write(name, strict({ apiVersion: text, kind: text, metadata: META, spec }));
}

function strictDefinitions(definitions: Definitions): Definitions {
  return Object.fromEntries(
    Object.entries(definitions).map(([name, definition]) => {
      if (definition.format === "int-or-string") return [name, { type: ["integer", "string"] } as never];
      if (name.endsWith(".Quantity")) return [name, { type: ["number", "string"] } as never];
      const open = definition.properties === undefined || definition.additionalProperties !== undefined;
      return [name, open ? definition : { ...definition, additionalProperties: false }];
    }),
  );
}
