import { z } from "zod";
import { accessUseCases } from "../../../access/access.ts";
import { records } from "../../../lib/limits/records.ts";
import { publicRoute } from "../../route.ts";
import { longPage } from "../../shapes.ts";
import { ACT_EXAMPLE, actFilter, adminAct, apiWrite, WRITE_EXAMPLE, writeFilter } from "./audit-shapes.ts";

const TAG = "Audits";

export const listApiAudit = publicRoute({
  useCase: accessUseCases.listApiWrites,
  operationId: "listApiAudit",
  method: "GET",
  path: "/api/v1/audit/api",
  tag: TAG,
  summary: "List the API audit log",
  description: "Every write with an API key, newest first. Reads are not recorded.",
  query: z.strictObject(writeFilter),
  status: 200,
  response: longPage(apiWrite),
  errors: [],
  examples: { response: { items: [WRITE_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query }, listApiWrites) =>
    listApiWrites(caller, { ...query, countAhead: records.countedAhead.value }),
});

export const listAdminAudit = publicRoute({
  useCase: accessUseCases.listAdminActs,
  operationId: "listAdminAudit",
  method: "GET",
  path: "/api/v1/audit/admin",
  tag: TAG,
  summary: "List the administrative audit",
  description:
    "Administrative changes of the tenant and their actors, from the admin app and the shell, newest first; also sign-ins and their failures (`session.`), exports of lists, and uses of API keys from new addresses.",
  query: z.strictObject(actFilter),
  status: 200,
  response: longPage(adminAct),
  errors: [],
  examples: { response: { items: [ACT_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query }, listAdminActs) =>
    listAdminActs(caller, { ...query, countAhead: records.countedAhead.value }),
});
