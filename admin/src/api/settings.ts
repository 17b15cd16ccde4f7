import { queryOptions } from "@tanstack/react-query";
import { noAnswer, problemOf } from "./problem.ts";

/** The settings of the service that the app needs besides the API. */
interface AppSettings {
  baseUrl: string;
  brokerUrl: string;
  /** The authority of a development certificate as PEM; null if clients trust the service's certificate anyway. */
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
