import createClient from "openapi-fetch";
import type { components, paths } from "./generated/admin.ts";
import { problemOf } from "./problem.ts";
import { send } from "./send.ts";

/** The records of the admin API by the name of their schema: `Schemas["Device"]`. */
export type Schemas = components["schemas"];

/** The client of the admin API, typed by `openapi/admin.json`. */
export const api = createClient<paths>({ baseUrl: location.origin, fetch: send });

interface Answer<T> {
  data?: T | undefined;
  error?: unknown;
  response: Response;
}

/** Returns the body of a success. @throws Problem for every other answer */
export async function must<T>(request: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await request;
  if (!response.ok) throw problemOf(response, error);
  return data as T;
}

/** A record with its version. A change names the version in `If-Match` and is refused when another user was faster. */
export interface Versioned<T> {
  record: T;
  etag: string | undefined;
}

/** Returns the body of a success with its `ETag`. @throws Problem for every other answer */
export async function mustVersioned<T>(
  request: Promise<{ data?: T | undefined; error?: unknown; response: Response }>,
): Promise<Versioned<T>> {
  const { data, error, response } = await request;
  if (!response.ok) throw problemOf(response, error);
  return { record: data as T, etag: response.headers.get("etag") ?? undefined };
}

/** Returns the header of a change to the version `etag`. */
export function ifMatch(etag: string | undefined): { headers: Record<string, string> } {
  return { headers: etag === undefined ? {} : { "if-match": etag } };
}
