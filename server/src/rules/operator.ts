export const OPERATORS = ["gt", "gte", "lt", "lte", "eq", "ne", "outside"] as const;
export type Operator = (typeof OPERATORS)[number];
