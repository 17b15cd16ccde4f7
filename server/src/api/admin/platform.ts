import { z } from "zod";
import { accessUseCases } from "../../access/access.ts";
import { connectionUseCases } from "../../connections/connections.ts";
import { platformUseCases } from "../../platform/platform.ts";
import { adminRoute } from "../route.ts";
import { id, label, nullableTimestamp, page, paging, timestamp } from "../shapes.ts";
import { REFUSAL_EXAMPLE, refusal } from "../v1/refusals.ts";
import { AUTHORITY_EXAMPLE, authorityStatus } from "./shapes/authority-shapes.ts";

const TAG = "Platform";

const tenantSummary = z
  .strictObject({ id, slug: z.string(), name: z.string(), createdAt: timestamp })
  .meta({ id: "TenantSummary" });

const createdTenant = tenantSummary
  .extend({
    admin: z.strictObject({
      id,
      email: z.string(),
      password: z.string().meta({ description: "The password, shown only in this answer; it is not stored" }),
    }),
  })
  .meta({ id: "CreatedTenant" });

const trustRollout = z
  .strictObject({
    rollout: z
      .strictObject({
        id,
        name: z.string(),
        announcedAt: timestamp.meta({
          description: "When it was added to the CA bundle that devices get with their certificates",
        }),
        takeOverAt: nullableTimestamp.meta({ description: "When servers start using it" }),
        activatedAt: nullableTimestamp,
        devices: z.int().meta({ description: "Devices of all tenants with a live certificate" }),
        trusting: z.int().meta({ description: "The number of those that have the root" }),
      })
      .nullable()
      .meta({ description: "`null` while no server root replaces another" }),
  })
  .meta({ id: "TrustRollout" });

const authorities = z.strictObject({ items: z.array(authorityStatus) }).meta({ id: "Authorities" });

const checks = z
  .strictObject({
    healthy: z.boolean(),
    checks: z.array(
      z.strictObject({
        name: z.string().meta({ description: "The rule that was checked" }),
        level: z.enum(["must", "should"]),
        ok: z.boolean(),
        broken: z.int().meta({ description: "The number of violations" }),
      }),
    ),
  })
  .meta({ id: "Checks" });

const TENANT_EXAMPLE = {
  id: "0199c1c0-0000-7a11-8c22-5e6f7a8b9c0d",
  slug: "acme",
  name: "Acme Pumps",
  createdAt: "2026-11-01T09:00:00.000Z",
};

export const listTenants = adminRoute({
  useCase: accessUseCases.listTenants,
  operationId: "listTenants",
  method: "GET",
  path: "/api/admin/platform/tenants",
  tag: TAG,
  summary: "List tenants",
  description: "Every tenant of the installation, newest first, without its data.",
  query: z.strictObject(paging(50, 200)),
  status: 200,
  response: page(tenantSummary),
  errors: [],
  examples: { response: { items: [TENANT_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query }, listTenants) => listTenants(caller, query),
});

export const createTenant = adminRoute({
  useCase: accessUseCases.addTenant,
  operationId: "createTenant",
  method: "POST",
  path: "/api/admin/platform/tenants",
  tag: TAG,
  summary: "Create a tenant",
  description: "Creates the tenant with its first admin, whose password is shown only in this answer.",
  body: z
    .strictObject({
      slug: z.string().max(40).meta({ description: "A topic segment of a-z, 0-9 and dash, which never changes" }),
      name: label(),
      adminEmail: z.string().min(3).max(254),
    })
    .meta({ id: "TenantCreate" }),
  status: 201,
  response: createdTenant,
  errors: ["already_exists"],
  examples: {
    body: { slug: "acme", name: "Acme Pumps", adminEmail: "ada@acme.example" },
    response: {
      ...TENANT_EXAMPLE,
      admin: { id: "0199c1c2-4a00-7c55-b1d2-3e4f5a6b7c8d", email: "ada@acme.example", password: "fKq7-Rm2x-Vt9c" },
    },
  },
  secret: true,
  handler: (caller, { body }, addTenant) => addTenant(caller, body),
});

export const showAuthorities = adminRoute({
  useCase: platformUseCases.showAuthorities,
  operationId: "listAuthorities",
  method: "GET",
  path: "/api/admin/platform/ca",
  tag: TAG,
  summary: "Show the certificate authorities",
  description: "Every generation of roots, intermediates and server certificates, oldest first.",
  status: 200,
  response: authorities,
  errors: [],
  examples: { response: { items: [AUTHORITY_EXAMPLE] } },
  handler: async (caller, _input, showAuthorities) => ({ items: await showAuthorities(caller) }),
});

export const showTrustRollout = adminRoute({
  useCase: platformUseCases.showTrustRollout,
  operationId: "getTrustRollout",
  method: "GET",
  path: "/api/admin/platform/trust-rollout",
  tag: TAG,
  summary: "Show which devices have a new server root",
  description:
    "A device has the root once it has connected with a certificate issued together with it, or issued after it took over. Devices that lack it are findings of their tenants.",
  status: 200,
  response: trustRollout,
  errors: [],
  examples: {
    response: {
      rollout: {
        id: AUTHORITY_EXAMPLE.id,
        name: "Muster server root 2 8c1d77aa",
        announcedAt: "2026-11-20T10:00:00.000Z",
        takeOverAt: "2026-12-25T10:00:00.000Z",
        activatedAt: null,
        devices: 1300,
        trusting: 1204,
      },
    },
  },
  handler: async (caller, _input, showTrustRollout) => ({ rollout: await showTrustRollout(caller) }),
});

export const rotateAuthorities = adminRoute({
  useCase: platformUseCases.rotateAuthorities,
  operationId: "rotateAuthorities",
  method: "POST",
  path: "/api/admin/platform/ca",
  tag: TAG,
  summary: "Rotate a certificate authority",
  description:
    "Replaces the intermediate, the roots or the server certificates with an overlap: no certificate in use becomes invalid. A new server root is announced, and becomes active 35 days later, or immediately with `rootImmediately`.",
  body: z
    .strictObject({ rotation: z.enum(["intermediate", "root", "rootImmediately", "server"]) })
    .meta({ id: "AuthorityRotation" }),
  status: 200,
  response: authorities,
  errors: [],
  examples: { body: { rotation: "intermediate" }, response: { items: [AUTHORITY_EXAMPLE] } },
  handler: async (caller, { body }, rotateAuthorities) => ({ items: await rotateAuthorities(caller, body.rotation) }),
});

export const runChecks = adminRoute({
  useCase: platformUseCases.runChecks,
  operationId: "runChecks",
  method: "GET",
  path: "/api/admin/platform/doctor",
  tag: TAG,
  summary: "Check the service",
  description: "The checks of `muster doctor` that do not read whole tables, without the records that violate them.",
  status: 200,
  response: checks,
  errors: [],
  examples: {
    response: {
      healthy: true,
      checks: [{ name: "every device has at most two live bundles", level: "must", ok: true, broken: 0 }],
    },
  },
  handler: (caller, _input, runChecks) => runChecks(caller),
});

export const listUnknownRefusals = adminRoute({
  useCase: connectionUseCases.listUnknownRefusals,
  operationId: "listUnknownRefusals",
  method: "GET",
  path: "/api/admin/platform/refusals",
  tag: TAG,
  summary: "List refused clients of no tenant",
  description: "Clients that the broker refused and whose tenant is unknown, newest first.",
  query: z.strictObject(paging(50, 200)),
  status: 200,
  response: page(refusal),
  errors: [],
  examples: { response: { items: [REFUSAL_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query }, listUnknownRefusals) => listUnknownRefusals(caller, query),
});
