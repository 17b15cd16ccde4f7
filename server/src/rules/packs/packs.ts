import { useCase } from "../../access/access.ts";
import { recordWrite } from "../../audit/audit.ts";
import { inTransaction } from "../../db/transaction.ts";
import { isUuid } from "../../lib/ids.ts";
import { records } from "../../lib/limits/records.ts";
import { type Page, type PageRequest, splitPage } from "../../lib/page.ts";
import { invalidRequest, notFound } from "../../lib/request-errors.ts";
import { checkExternalId, plainLine, plainText } from "../../lib/text.ts";
import type { RulesDeps } from "../deps.ts";
import { checkRule, type NewRule, type Rule } from "../rule.ts";
import { findThreshold, insertThreshold, listThresholdRows, type ThresholdRow } from "./pack-store.ts";

/** Rules that are assigned to devices and device types together. */
export interface ThresholdPack {
  id: string;
  name: string;
  description: string;
  /** Whether its rules are evaluated. */
  enabled: boolean;
  rules: Rule[];
  /** The name by which a program that manages the pack knows it. */
  externalId: string | null;
  createdAt: Date;
}

export interface NewThresholdPack {
  name: string;
  description?: string | undefined;
  enabled?: boolean | undefined;
  /** 1 to 50 rules. */
  rules: readonly NewRule[];
  /** Unique among the packs of the tenant. */
  externalId?: string | null | undefined;
}

const MAX_RULES = records.rulesOfThreshold.value;

export interface ThresholdQuery extends PageRequest {
  /** A part of the name, case-insensitive. */
  q?: string | undefined;
}

/**
 * Creates a pack.
 *
 * @throws MusterError invalid_request with the invalid place in `detail`, e.g. `rules.0.clearValue`; quota_exceeded;
 *   already_exists (the external id)
 */
export const createThreshold = useCase(
  { scope: "thresholds:write", role: "operator" },
  async (deps: RulesDeps, caller, input: NewThresholdPack): Promise<ThresholdPack> => {
    const now = deps.clock.now();
    checkRuleCount(input.rules);
    const row: ThresholdRow = {
      id: deps.ids.uuid(now),
      name: plainLine("name", input.name),
      description: plainText("description", input.description ?? ""),
      enabled: input.enabled ?? true,
      rules: input.rules.map((rule, at) => checkRule(rule, deps.ids.uuid(now), `rules.${at}`)),
      external_id: checkExternalId(input.externalId ?? null),
      created_at: now,
    };
    await inTransaction(deps.database.db, async (tx) => {
      await deps.quotas.within(tx, caller.tenantId, "thresholds", 1);
      await deps.quotas.within(tx, caller.tenantId, "rules", row.rules.length);
      await insertThreshold(tx, caller.tenantId, row);
      const write = { resource: "threshold", id: row.id, result: "created", at: now, after: toPack(row) } as const;
      await recordWrite(tx, caller, write, deps.ids);
    });
    return toPack(row);
  },
);

/**
 * Returns a pack.
 *
 * @throws MusterError not_found
 */
export const getThreshold = useCase(
  { scope: "thresholds:read", role: "viewer" },
  async (deps: RulesDeps, caller, id: string): Promise<ThresholdPack> => {
    const row = isUuid(id) ? await findThreshold(deps.database.db, caller.tenantId, id) : undefined;
    if (!row) throw notFound("threshold pack");
    return toPack(row);
  },
);

/** Lists packs, newest first. */
export const listThresholds = useCase(
  { scope: "thresholds:read", role: "viewer" },
  async (deps: RulesDeps, caller, query: ThresholdQuery): Promise<Page<ThresholdPack>> => {
    const [page, { q }] = splitPage(query);
    const { skip, limit } = page;
    if (q?.includes("\0")) return { items: [], total: 0, skip, limit };
    const { rows, total } = await listThresholdRows(deps.database.db, caller.tenantId, q, page);
    return { items: rows.map(toPack), total, skip, limit };
  },
);

/** @throws MusterError invalid_request unless a pack may have this many rules */
export function checkRuleCount(rules: readonly unknown[]): void {
  if (rules.length < 1 || rules.length > MAX_RULES)
    throw invalidRequest(`A threshold pack has 1 to ${MAX_RULES} rules.`, "rules");
}

/** Converts the row to its API form. */
export function toPack(row: ThresholdRow): ThresholdPack {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    enabled: row.enabled,
    rules: row.rules,
    externalId: row.external_id,
    createdAt: row.created_at,
  };
}
