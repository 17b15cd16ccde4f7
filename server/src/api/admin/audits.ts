import { z } from "zod";
import { accessUseCases } from "../../access/access.ts";
import { certificateUseCases } from "../../certificates/certificates.ts";
import { records } from "../../lib/limits/records.ts";
import { overviewUseCases } from "../../overview/overview.ts";
import { CERTIFICATE_EVENT } from "../named-shapes.ts";
import { adminRoute } from "../route.ts";
import { id, longPage, paging } from "../shapes.ts";
import { AUDIT_EXAMPLE } from "../v1/device-certificate-examples.ts";
import { auditEntry } from "../v1/device-certificates.ts";
import {
  ACT_EXAMPLE,
  actFilter,
  actor,
  adminAct,
  apiWrite,
  period,
  RESULT,
  text,
  WRITE_EXAMPLE,
  writeFilter,
} from "../v1/people/audit-shapes.ts";

const TAG = "Audits";

export const listApiAudit = adminRoute({
  useCase: accessUseCases.listApiWrites,
  operationId: "listApiAudit",
  csv: "api-audit",
  method: "GET",
  path: "/api/admin/audit/api",
  tag: TAG,
  summary: "List the API audit log",
  description: "Every write with an API key, newest first. Reads are not recorded.",
  query: z.strictObject({
    ...writeFilter,
    notKeyId: text.optional(),
    notOperation: text.optional(),
    notResult: RESULT.optional(),
  }),
  status: 200,
  response: longPage(apiWrite),
  errors: [],
  examples: { response: { items: [WRITE_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query: { notKeyId, notOperation, notResult, ...query } }, listApiWrites) =>
    listApiWrites(caller, {
      ...query,
      not: { keyId: notKeyId, operation: notOperation, result: notResult },
      countAhead: records.countedAhead.value,
    }),
});

export const listCertificateAudit = adminRoute({
  useCase: certificateUseCases.listCertificateAudit,
  operationId: "listCertificateAudit",
  csv: "certificate-audit",
  method: "GET",
  path: "/api/admin/audit/certificates",
  tag: TAG,
  summary: "List the certificate audit",
  description: "Records of who minted, enrolled, renewed or revoked which certificate, newest first.",
  query: z.strictObject({
    kind: CERTIFICATE_EVENT.optional(),
    notKind: CERTIFICATE_EVENT.optional(),
    actor,
    notActor: actor,
    deviceId: id.optional(),
    certificateId: id.optional(),
    ...period,
    ...paging(50, 200),
  }),
  status: 200,
  response: longPage(auditEntry),
  errors: [],
  examples: { response: { items: [AUDIT_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query: { notKind, notActor, ...query } }, listCertificateAudit) =>
    listCertificateAudit(caller, {
      ...query,
      not: { kind: notKind, actor: notActor },
      countAhead: records.countedAhead.value,
    }),
});

export const listAdminAudit = adminRoute({
  useCase: accessUseCases.listAdminActs,
  operationId: "listAdminAudit",
  csv: "administrative-audit",
  method: "GET",
  path: "/api/admin/audit/admin",
  tag: TAG,
  summary: "List the administrative audit",
  description:
    "Administrative changes of the tenant and their actors, from the admin app and the shell, newest first; also sign-ins and their failures (`session.`), exports of lists, and uses of API keys from new addresses.",
  query: z.strictObject({
    ...actFilter,
    notActor: actor,
    notAct: text.optional(),
  }),
  status: 200,
  response: longPage(adminAct),
  errors: [],
  examples: { response: { items: [ACT_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query: { notActor, notAct, ...query } }, listAdminActs) =>
    listAdminActs(caller, {
      ...query,
      not: { actor: notActor, act: notAct },
      countAhead: records.countedAhead.value,
    }),
});

const MOST_ACTORS = records.namedActors.value;

const actors = z
  .string()
  .transform((text) => text.split(","))
  .pipe(
    z
      .array(z.string().regex(/^[a-z]+(:[A-Za-z0-9_-]{1,128})?$/, "must be actors as histories show them"))
      .max(MOST_ACTORS),
  )
  .meta({ type: "string", description: `Actors as histories show them, separated by commas, at most ${MOST_ACTORS}` });

const namedActor = z
  .strictObject({
    actor: z.string(),
    name: z.string().meta({
      description: "A user's name or else address, the name of an API key or a device, or the intended name of a claim",
    }),
    email: z.string().nullable().meta({ description: "The e-mail address of a user" }),
    deleted: z.boolean().meta({ description: "The user is deleted; their acts stay in the histories" }),
    groupIds: z.array(z.string()).meta({ description: "The groups of a device" }),
    place: z
      .string()
      .nullable()
      .meta({ description: "The place in a device's metadata: `place`, `location` or `site`" }),
  })
  .meta({ id: "NamedActor" });

const ACTOR = "user:0199c1c2-4a00-7c55-b1d2-3e4f5a6b7c8d";

export const nameActors = adminRoute({
  useCase: overviewUseCases.nameActors,
  operationId: "nameActors",
  method: "GET",
  path: "/api/admin/actors",
  tag: TAG,
  summary: "Name the actors of a history",
  description:
    "The names of users, API keys, claims and devices, for the `actor` fields of audits and histories. Actors that are unknown, or that the caller may not see, are omitted.",
  query: z.strictObject({ actors }),
  status: 200,
  response: z.strictObject({ items: z.array(namedActor) }).meta({ id: "NamedActors" }),
  errors: [],
  examples: {
    response: {
      items: [
        { actor: ACTOR, name: "Ada Lovelace", email: "ada@acme.example", deleted: false, groupIds: [], place: null },
      ],
    },
  },
  handler: async (caller, { query }, nameActors) => ({ items: await nameActors(caller, query.actors) }),
});
