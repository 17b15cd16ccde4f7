import { z } from "zod";
import { plantFile } from "./plant-file.ts";

export { type Applied, applyPlant, type Tenant } from "./apply.ts";
export { changeLines } from "./change-lines.ts";
export { type Change, exportOf, planOf } from "./plan.ts";
export type { PlantFile } from "./plant-file.ts";
export { parsePlant, plantText } from "./plant-text.ts";
export { tenantOf } from "./tenant.ts";

/** Returns the JSON Schema of a plant's description, for editors. */
export function plantSchema(): object {
  return z.toJSONSchema(plantFile, { io: "input" });
}
