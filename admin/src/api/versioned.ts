import { problemOf } from "./problem.ts";

/** A record with the version that was read, which a change names in `If-Match`: it is refused when another user was faster. */
export interface Versioned<T> {
  record: T;
  etag: string | undefined;
}

/** The body of a success with its `ETag`. @throws Problem for every other answer */
export async function mustVersioned<T>(
  request: Promise<{ data?: T | undefined; error?: unknown; response: Response }>,
): Promise<Versioned<T>> {
  const { data, error, response } = await request;
  if (!response.ok) throw problemOf(response, error);
  return { record: data as T, etag: response.headers.get("etag") ?? undefined };
}

/** The header of a change of what was read as `etag`. */
export function ifMatch(etag: string | undefined): { headers: Record<string, string> } {
  return { headers: etag === undefined ? {} : { "if-match": etag } };
}
