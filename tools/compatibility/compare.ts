import { compareSchemas, type Direction, type Resolve, type Schema } from "./schemas.ts";

interface Content {
  schema: Schema;
}

interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
}

interface Answer {
  $ref?: string;
  headers?: object;
  content?: Record<string, Content>;
}

interface Operation {
  operationId: string;
  "x-required-scope"?: string;
  /** The announced end of a deprecated operation. */
  "x-sunset"?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Content> };
  responses: Record<string, Answer>;
}

/** An OpenAPI 3.1 document. */
export interface Description {
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, PathItem>;
  components?: object;
}

/** The body that is sent to a webhook, or a reference to it. */
interface PathItem {
  post?: Operation;
  $ref?: string;
}

/** Returns the target of a reference, or the item itself. */
function pathItem(item: PathItem, resolve: Resolve): PathItem {
  return resolve(item as Schema) as PathItem;
}

/**
 * Compares the description of the last release with the present one (the policy is in its `info.description`).
 *
 * @returns every change that can break a program, one sentence each
 */
export function breakingChanges(before: Description, after: Description, now = new Date()): string[] {
  const resolve: [Resolve, Resolve] = [resolverOf(before), resolverOf(after)];
  const operations = Object.entries(before.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, old]) => {
      const name = `${method.toUpperCase()} ${path}`;
      const present = after.paths[path]?.[method];
      if (present) return compareOperations(old, present, resolve, name);
      const sunset = old["x-sunset"];
      return sunset !== undefined && new Date(sunset) <= now ? [] : [`${name} is gone`];
    }),
  );
  const webhooks = Object.entries(before.webhooks ?? {}).flatMap(([type, item]) => {
    const [{ post }, present] = [pathItem(item, resolve[0]), pathItem(after.webhooks?.[type] ?? {}, resolve[1]).post];
    if (!post || !present) return [`the webhook ${type} is gone`];
    return contents(post.requestBody?.content, present.requestBody?.content, resolve, "output", `the webhook ${type}`);
  });
  return [...new Set([...operations, ...webhooks])];
}

function compareOperations(old: Operation, present: Operation, resolve: [Resolve, Resolve], at: string): string[] {
  const scope = "x-required-scope";
  return [
    ...(old.operationId === present.operationId ? [] : [`${at} was called ${old.operationId}`]),
    ...(old[scope] === present[scope] ? [] : [`${at} needed ${old[scope]} and needs ${present[scope]}`]),
    ...parameters(old, present, resolve, at),
    ...bodies(old, present, resolve, at),
    ...successes(old, present, resolve, at),
  ];
}

function parameters(old: Operation, present: Operation, [before, after]: [Resolve, Resolve], at: string): string[] {
  const listed = (operation: Operation, resolve: Resolve) =>
    new Map(
      (operation.parameters ?? [])
        .map((each) => resolve(each as unknown as Schema) as unknown as Parameter)
        .map((each) => [`${each.in} parameter ${each.name}`, each]),
    );
  const [was, is] = [listed(old, before), listed(present, after)];
  const lost = [...was].flatMap(([name, parameter]) => {
    const now = is.get(name);
    if (!now) return [`${at} has lost the ${name}`];
    const required = now.required && !parameter.required ? [`${at} now requires the ${name}`] : [];
    return [...required, ...compareSchemas([parameter.schema, now.schema], [before, after], "input", `${at} ${name}`)];
  });
  const added = [...is].filter(([name, { required }]) => required && !was.has(name));
  return [...lost, ...added.map(([name]) => `${at} now requires the ${name}`)];
}

function bodies(old: Operation, present: Operation, resolve: [Resolve, Resolve], at: string): string[] {
  const [was, is] = [old.requestBody, present.requestBody];
  if (!was) return is?.required ? [`${at} now requires a body`] : [];
  if (!is) return [`${at} takes no body any more`];
  const required = is.required && !was.required ? [`${at} now requires a body`] : [];
  return [...required, ...contents(was.content, is.content, resolve, "input", `${at} body`)];
}

function successes(old: Operation, present: Operation, resolve: [Resolve, Resolve], at: string): string[] {
  return Object.entries(old.responses)
    .filter(([status]) => Number(status) < 400)
    .flatMap(([status, answer]) => {
      const now = present.responses[status];
      if (!now) return [`${at} no longer answers ${status}`];
      const headers = Object.keys(answer.headers ?? {}).filter((name) => !(name in (now.headers ?? {})));
      return [
        ...headers.map((name) => `${at} ${status} has lost the header ${name}`),
        ...contents(answer.content, now.content, resolve, "output", `${at} ${status}`),
      ];
    });
}

function contents(
  was: Record<string, Content> | undefined,
  is: Record<string, Content> | undefined,
  resolve: [Resolve, Resolve],
  direction: Direction,
  at: string,
): string[] {
  return Object.entries(was ?? {}).flatMap(([type, { schema }]) => {
    const now = is?.[type];
    return now ? compareSchemas([schema, now.schema], resolve, direction, at) : [`${at} is no longer ${type}`];
  });
}

function resolverOf(document: object): Resolve {
  return function resolve(schema: Schema): Schema {
    if (schema.$ref === undefined) return schema;
    const steps = schema.$ref.slice(2).split("/");
    return resolve(steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document) as Schema);
  };
}
