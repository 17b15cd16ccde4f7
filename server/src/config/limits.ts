import type { Limit } from "../lib/limits/limit.ts";
import { LIMITS, type LimitName, type Limits, limitVariable } from "../lib/limits/limits.ts";
import { wholeNumber } from "./parse.ts";

const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[];
const limitValue = wholeNumber.min(1, "must be at least 1");
/** The value of a limit for which 0 means no limit. */
const optionalLimitValue = wholeNumber.min(0, "must not be negative");

/** The variables of the limits; an unset one has the default. */
export const limitVariables = Object.fromEntries(
  LIMIT_NAMES.flatMap((name) => {
    const variable = limitVariable(name);
    const limit: Limit = LIMITS[name];
    const shape = limit.zeroIsNone ? optionalLimitValue : limitValue;
    return variable ? [[variable, shape.default(limit.value)]] : [];
  }),
);

/** Converts the variables to limits. @param env the values of {@link limitVariables} */
export function toLimits(env: Record<string, unknown>): Limits {
  const values = LIMIT_NAMES.map((name) => {
    const value = env[limitVariable(name) ?? ""] ?? LIMITS[name].value;
    return [name, value === 0 ? Number.POSITIVE_INFINITY : value];
  });
  return Object.fromEntries(values) as Limits;
}
