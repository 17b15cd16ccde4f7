/** The constraints of a field that a form can check before it sends the field. */
export interface Bounds {
  required?: true;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  /** The allowed values. */
  enum?: readonly (string | number)[];
}

interface Schema extends Bounds {
  $ref?: string;
  properties?: Record<string, Schema>;
}

interface Operation {
  operationId: string;
  requestBody?: { content: { "application/json"?: { schema: Schema } } };
}

export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema> };
}

/** Returns the bounds of every field of every body: operation → field → bounds. */
export function boundsOf(document: OpenApi): Record<string, Record<string, Bounds>> {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  return Object.fromEntries(
    operations.flatMap(({ operationId, requestBody }) => {
      const body = resolved(document, requestBody?.content["application/json"]?.schema);
      return body?.properties ? [[operationId, boundsOfBody(document, body)]] : [];
    }),
  );
}

function boundsOfBody(document: OpenApi, body: Schema): Record<string, Bounds> {
  const required = new Set((body as { required?: unknown }).required as string[] | undefined);
  return Object.fromEntries(
    Object.entries(body.properties ?? {}).map(([name, schema]) => {
      const { minLength, maxLength, minimum, maximum, maxItems, enum: values } = resolved(document, schema) ?? {};
      const bounds = {
        ...(required.has(name) ? { required: true } : {}),
        minLength,
        maxLength,
        minimum,
        maximum,
        maxItems,
        enum: values,
      };
      return [name, bounds as Bounds];
    }),
  );
}

function resolved(document: OpenApi, schema: Schema | undefined): Schema | undefined {
  const name = schema?.$ref?.split("/").at(-1);
  return name === undefined ? schema : document.components?.schemas?.[name];
}
