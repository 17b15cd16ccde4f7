import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { isAccountFirst, isComplete, sessionQuery } from "./api/session.ts";
import { RootFrame } from "./parts/root-frame.tsx";
import { NotFound, NotPermitted, RouteProblem } from "./parts/route-problem.tsx";
import { mayAll } from "./parts/session.ts";
import { loadScreen } from "./parts/shell/load-code.ts";
import { applyProfile } from "./parts/shell/profile.ts";
import { Shell } from "./parts/shell/shell.tsx";
import { type AppRoute, appRoutes } from "./routes.ts";

/** The screen for the password and the second factor. */
const ACCOUNT = "/account";

interface Context {
  queries: QueryClient;
}

const root = createRootRouteWithContext<Context>()({
  component: RootFrame,
  notFoundComponent: NotFound,
  errorComponent: RouteProblem,
});

/** The routes with a session; without one the user signs in and returns to the address. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    const session = await context.queries.ensureQueryData(sessionQuery);
    if (!isComplete(session)) throw redirect({ to: "/sign-in", search: { next: location.href } });
    applyProfile(session.profile);
    if (isAccountFirst(session) && location.pathname !== ACCOUNT) throw redirect({ to: ACCOUNT });
  },
});

function routeOf({ path, page, open, operations }: AppRoute) {
  return createRoute({
    getParentRoute: () => (open ? root : signedIn) as typeof root,
    path,
    beforeLoad: ({ context }) => {
      const session = context.queries.getQueryData(sessionQuery.queryKey);
      if (!open && session && !mayAll(session, operations)) throw new NotPermitted();
    },
    component: lazyRouteComponent(loadScreen(page)),
  });
}

/** Creates the router from the list of screens. Hover or focus on a link already loads its code. */
export function createAppRouter(queries: QueryClient) {
  const open = appRoutes.filter((route) => route.open).map(routeOf);
  const closed = appRoutes.filter((route) => !route.open).map(routeOf);
  return createRouter({
    routeTree: root.addChildren([...open, signedIn.addChildren(closed)]),
    context: { queries },
    defaultPreload: "intent",
    defaultPendingMs: 300,
    scrollRestoration: true,
  });
}
