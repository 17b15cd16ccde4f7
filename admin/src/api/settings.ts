import { queryOptions } from "@tanstack/react-query";
import { noAnswer, problemOf } from "./problem.ts";

/** What the service says of itself to the app, besides the API. */
export interface AppSettings {
  baseUrl: string;
  brokerUrl: string;
  /** PEM of the authority of a development certificate; null where clients trust the service's certificate anyway. */
  httpsCa: string | null;
}

const PATH = "/app-settings.json";

export const settingsQuery = queryOptions({
  queryKey: [PATH],
  queryFn: async ({ signal }): Promise<AppSettings> => {
    const response = await fetch(PATH, { signal }).catch(() => Promise.reject(noAnswer()));
    if (!response.ok) throw problemOf(response, undefined);
    return (await response.json()) as AppSettings;
  },
  staleTime: Number.POSITIVE_INFINITY,
});
