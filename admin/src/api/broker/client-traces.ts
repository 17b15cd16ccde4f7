import { api, must, type Schemas } from "../client.ts";
import { read } from "../read.ts";

export const TRACE = "/api/admin/clients/{clientId}/trace";
export type TraceEntry = Schemas["ClientTraceEntry"];

export const traceQuery = (clientId: string) => read(TRACE, { path: { clientId } });
/** Records for five minutes what the client sends, receives and is refused. */
export const startTrace = (clientId: string) => must(api.POST(TRACE, { params: { path: { clientId } } }));
