import { type Bound, bind } from "../access/access.ts";
import { rotateAuthorities, showAuthorities } from "./authorities.ts";
import type { PlatformDeps } from "./deps.ts";
import { runChecks } from "./run-checks.ts";
import { measureRollout, reportRollout, showTrustRollout } from "./trust-rollout.ts";

export type { PlatformDeps } from "./deps.ts";

/** The use cases of users who run the whole installation; they show no data of a tenant. */
export const platformUseCases = {
  showAuthorities,
  rotateAuthorities,
  runChecks,
  showTrustRollout,
  measureRollout,
  reportRollout,
};
export type Platform = Bound<typeof platformUseCases>;
export const createPlatform = (deps: PlatformDeps): Platform => bind(deps, platformUseCases);
