import { useCase } from "../access/access.ts";
import type { Finding } from "../doctor/doctor.ts";
import type { PlatformDeps } from "./deps.ts";

/** The checks of `muster doctor` without their examples, which name records of tenants. */
export interface Checks {
  healthy: boolean;
  checks: Omit<Finding, "examples">[];
}

/** Checks whether the service works and what needs attention, without reading whole tables. */
export const runChecks = useCase({ role: "platform" }, async ({ doctor }: PlatformDeps, _caller): Promise<Checks> => {
  const { healthy, checks } = await doctor.examine({ deep: false });
  return { healthy, checks: checks.map(({ examples: _examples, ...check }) => check) };
});
