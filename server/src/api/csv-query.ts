import { z } from "zod";
import { DEFAULT_LIMITS } from "../lib/limits/limits.ts";

/** Extends the query of a list that can be requested as a file. */
export function asFile(query: z.ZodType | undefined): { query: z.ZodType } {
  if (!(query instanceof z.ZodObject)) throw new Error("only a list can be exported");
  return { query: query.extend({ as: AS }) };
}

const AS = z
  .enum(["csv"])
  .optional()
  .meta({
    description: `\`csv\`: the whole list as a file (\`text/csv\`), ignoring \`skip\` and \`limit\`; its last line says so if the list has more than ${DEFAULT_LIMITS.exportRows.toLocaleString("en")} rows`,
  });
