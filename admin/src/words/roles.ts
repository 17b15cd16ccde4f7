import { t } from "#texts/words.ts";
export const ROLES = { admin: t.administrator, operator: t.operator, viewer: t.viewer } as const;
