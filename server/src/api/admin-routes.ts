import * as claims from "./admin/claims.ts";
import * as devices from "./admin/devices.ts";
import * as findings from "./admin/findings.ts";
import * as overview from "./admin/overview.ts";
import * as refusals from "./admin/refusals.ts";
import * as session from "./admin/session.ts";
import * as telemetry from "./admin/telemetry.ts";
import { type AdminRoute, routesOf } from "./route.ts";

/** The resources of the admin API in the order of its description. A module's routes are what it exports. */
const RESOURCES = [session, overview, devices, telemetry, findings, refusals, claims];

/** Every operation of the admin API. */
export const adminRoutes: readonly AdminRoute[] = RESOURCES.flatMap((module) => routesOf<AdminRoute>(module));
