import type { Schemas } from "../client.ts";
import { type QueryOf, read, readList } from "../read.ts";

export const REFUSALS = "/api/admin/refusals";
export type Refusal = Schemas["Refusal"];
export type Symptom = Schemas["Symptom"];

export const refusalsQuery = (query: QueryOf<typeof REFUSALS>) => readList(REFUSALS, query);
export const refusalsOfDeviceQuery = (deviceId: string, limit = 50) => read(REFUSALS, { query: { deviceId, limit } });
/** The symptoms of devices that cannot connect. They change only with the version of the service. */
export const symptomsQuery = { ...read(`${REFUSALS}/symptoms`), staleTime: Number.POSITIVE_INFINITY };
