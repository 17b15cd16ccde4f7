import createClient from "openapi-fetch";
import type { components, paths } from "./generated/admin.ts";
import { problemOf } from "./problem.ts";
import { send } from "./send.ts";

/** The records of the admin API by the name of their schema: `Schemas["Device"]`. */
export type Schemas = components["schemas"];

/** The admin API, typed by `openapi/admin.json`: `must(api.GET("/api/admin/devices", { params: { query: { q } } }))`. */
export const api = createClient<paths>({ baseUrl: location.origin, fetch: send });

interface Answer<T> {
  data?: T | undefined;
  error?: unknown;
  response: Response;
}

/** The body of a success. @throws Problem for every other answer */
export async function must<T>(request: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await request;
  if (!response.ok) throw problemOf(response, error);
  return data as T;
}
