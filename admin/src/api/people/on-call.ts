import type { Schemas } from "../client.ts";
import { read } from "../read.ts";

export const COVERAGE = "/api/admin/coverage";
export type OnCall = Schemas["OnCall"];

export const groupOnCallQuery = (id: string) => read("/api/admin/groups/{id}/on-call", { path: { id } });
export const deviceOnCallQuery = (id: string) => read("/api/admin/devices/{id}/on-call", { path: { id } });
/** The groups with uncovered hours in the next seven days. */
export const coverageQuery = read(COVERAGE);
