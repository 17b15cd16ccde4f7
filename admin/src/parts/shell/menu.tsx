import { type AppRoute, appRoutes } from "../../routes.ts";
import { mayAll, useSession } from "../session.ts";
import { icons } from "./icons.ts";

/** The screens that the user may use, by group. */
export function Menu({ path }: { path: string }) {
  const session = useSession();
  const offered = appRoutes.filter(({ menu, operations }) => menu && mayAll(session, operations));
  const groups = Map.groupBy(offered, ({ menu }) => menu!.group);
  return [...groups].map(([group, routes]) => (
    <ul key={group} className="menu-group" aria-label={group}>
      {group !== "Overview" && (
        <li className="menu-title" aria-hidden="true">
          {group}
        </li>
      )}
      {routes.map((route) => (
        <li key={route.path}>
          <Entry route={route} current={isWithin(path, route.path)} />
        </li>
      ))}
    </ul>
  ));
}

function Entry({ route, current }: { route: AppRoute; current: boolean }) {
  const Icon = icons[route.menu!.icon];
  return (
    <a className="menu-link" href={route.path} aria-current={current ? "page" : undefined}>
      {Icon && <Icon size={18} stroke={1.6} aria-hidden="true" />}
      {route.title}
    </a>
  );
}

function isWithin(path: string, route: string): boolean {
  return route === "/" ? path === "/" : path === route || path.startsWith(`${route}/`);
}
