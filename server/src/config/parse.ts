import { z } from "zod";

/** The variables of the environment. */
export type Given = Readonly<Record<string, string | undefined>>;

export const wholeNumber = z.coerce.number("must be a number").int("must be a whole number");

/** All problems of the environment together, each with the name of its variable. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly string[];

  constructor(problems: string[]) {
    super(
      `the configuration has ${problems.length === 1 ? "a problem" : `${problems.length} problems`}:\n${problems.map((p) => `  ${p}`).join("\n")}`,
    );
    this.problems = problems;
  }
}

/** Returns the `MUSTER_…` variables. An empty one counts as unset. */
export function givenIn(env: Given): Given {
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => name.startsWith("MUSTER_") && value));
}

/**
 * Parses variables by a shape.
 *
 * @param more problems beyond those of single variables.
 * @throws ConfigError naming every problem
 */
export function parsedAs<Shape extends z.ZodObject>(
  shape: Shape,
  given: Given,
  more: readonly string[],
): z.infer<Shape> {
  const parsed = shape.safeParse(given);
  const problems = (parsed.error?.issues ?? []).map((issue) => `${issue.path.join(".")} ${issue.message}`);
  problems.push(...more);
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  return parsed.data;
}
