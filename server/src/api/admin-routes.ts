import * as session from "./admin/session.ts";
import { type AdminRoute, routesOf } from "./route.ts";

/** The resources of the admin API in the order of its description. A module's routes are what it exports. */
const RESOURCES = [session];

/** Every operation of the admin API. */
export const adminRoutes: readonly AdminRoute[] = RESOURCES.flatMap((module) => routesOf<AdminRoute>(module));
