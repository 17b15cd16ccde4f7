import { type AdminUseCaseRoute, adminRoute, type PublicRoute } from "./route.ts";

type Differences = Partial<Pick<AdminUseCaseRoute, "tag" | "summary" | "description" | "csv">>;

/**
 * Declares the operation of the admin API that equals one of the public API, for a signed-in user instead of the holder
 * of a key. Its path is the same below `/api/admin`.
 *
 * @throws Error if users may not run the use case
 */
export function inApp(
  { surface: _, scope: __, ...route }: PublicRoute,
  differences: Differences = {},
): AdminUseCaseRoute {
  const path = route.path.replace(/^\/api\/v1(\/provisioning)?/, "/api/admin");
  return adminRoute({ ...route, path, ...differences } as Parameters<typeof adminRoute>[0]);
}
