import { adminUseCase, type PreparedChange, useCase } from "../../access/access.ts";
import { isUuid } from "../../lib/ids.ts";
import { inUse, notFound } from "../../lib/request-errors.ts";
import { plainLine } from "../../lib/text.ts";
import type { NotificationsDeps } from "../deps.ts";
import type { ChannelType, Settings } from "./channel-type.ts";
import {
  deleteIntegrationRow,
  insertIntegration,
  integrationOwner,
  listIntegrationRows,
  lockToDelete,
} from "./integration-store.ts";
import { checkSettings, REGISTRY, type TypeName } from "./registry.ts";

/** A configured chat or paging service, without its secrets. */
export interface Integration {
  id: string;
  type: TypeName;
  name: string;
  settings: Settings;
  groups: { id: string; name: string }[];
  createdAt: Date;
}

/** Lists the tenant's integrations, oldest first. Secret settings are left out. */
export const listIntegrations = useCase(
  { role: "admin" },
  async ({ database }: NotificationsDeps, { tenantId }): Promise<Integration[]> => {
    const rows = await listIntegrationRows(database.db, tenantId);
    return rows.map(({ created_at: createdAt, ...row }) => ({ ...row, createdAt }));
  },
);

export interface NewIntegration {
  type: TypeName;
  name: string;
  settings: Settings;
}

/**
 * Adds a chat or paging service. A group that names it as a channel has its receiver asked for confirmation.
 *
 * @throws MusterError invalid_request (`detail`: `settings.<field>`); quota_exceeded
 */
export const createIntegration = adminUseCase(
  { role: "admin" },
  "integration.create",
  async (
    { clock, ids, quotas, secrets }: NotificationsDeps,
    { tenantId },
    { type, ...input }: NewIntegration,
  ): Promise<PreparedChange<Integration>> => {
    const name = plainLine("name", input.name);
    const { open, secret } = checkSettings(type, input.settings);
    return {
      change: async (tx) => {
        const now = clock.now();
        const id = ids.uuid(now);
        const owner = integrationOwner(tenantId, id);
        const sealed = await secrets.seal(tx, Buffer.from(JSON.stringify(secret)), owner);
        await quotas.within(tx, tenantId, "integrations", 1);
        await insertIntegration(tx, { id, tenant_id: tenantId, type, name, settings: open, sealed, created_at: now });
        const result = { id, type, name, settings: open, groups: [], createdAt: now };
        return { target: id, after: { type, name, settings: open }, result };
      },
    };
  },
);

/**
 * Deletes an integration that no group names.
 *
 * @throws MusterError not_found; in_use, with the number of `groups`
 */
export const deleteIntegration = adminUseCase(
  { role: "admin" },
  "integration.delete",
  async (_deps: NotificationsDeps, { tenantId }, id: string): Promise<PreparedChange<void>> => {
    if (!isUuid(id)) throw notFound("integration");
    return {
      change: async (tx) => {
        if (!(await lockToDelete(tx, { tenantId, id }))) throw notFound("integration");
        const { type, name, groups } = (await listIntegrationRows(tx, tenantId)).find((row) => row.id === id)!;
        if (groups.length > 0) throw inUse("groups send to it: remove it from them", { groups: groups.length });
        await deleteIntegrationRow(tx, { tenantId, id });
        return { target: id, before: { type, name }, result: undefined };
      },
    };
  },
);

/** Lists the channel types with their fields, from which the app builds its form. */
export const listChannelTypes = useCase({ role: "admin" }, async (_deps: NotificationsDeps, _caller) =>
  Object.entries<ChannelType>(REGISTRY).map(([type, { label, fields }]) => ({
    type: type as TypeName,
    label,
    fields: fields.map(({ name, kind, required, secret, choices = [], fallback = "", example = "" }) => ({
      ...{ name, kind, required, secret, choices: [...choices], fallback, example },
    })),
  })),
);
