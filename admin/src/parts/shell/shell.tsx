import { useMantineColorScheme } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Outlet, useLocation, useRouter } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import { t as palette } from "#texts/palette.ts";
import { t } from "#texts/parts.ts";
import { t as screens } from "#texts/screens.ts";
import version from "../../api/generated/version.json" with { type: "json" };
import { openAnomaliesQuery } from "../../api/monitoring/anomalies.ts";
import { endSession, sessionQuery } from "../../api/session.ts";
import icon from "../../icon.svg";
import { type AppRoute, appRoutes } from "../../routes.ts";
import { numberText } from "../../texts/number-text.ts";
import { sentence } from "../../texts/sentence.ts";
import { Fragment, setTitleCount } from "../../ui/ui.ts";
import { ROLES } from "../../words/roles.ts";
import { LiveState } from "../live/live-state.tsx";
import { useLive } from "../live/use-live.ts";
import { Palette } from "../palette/palette.tsx";
import { ShortcutSheet } from "../palette/shortcut-sheet.tsx";
import { useShortcuts } from "../palette/use-shortcuts.ts";
import { asProblem } from "../problem-box.tsx";
import { mayAll, useMay, useSession } from "../session.ts";
import { toast } from "../toasts.tsx";
import { useFolded } from "./folded.ts";
import { icons } from "./icons.ts";
import { usePreloadedScreens } from "./preloaded-screens.ts";
import { saveProfile } from "./profile.ts";
import "./shell.css";
import "./user-menu.css";

/** The frame of every screen with a session: menu, search, live state, user. On a phone the menu is behind a button. */
export function Shell() {
  const { tenant } = useSession();
  const { pathname, hash, state } = useLocation();
  const fragment = useMemo(() => ({ fragment: hash, key: state.__TSR_key ?? "" }), [hash, state]);
  const [menuOpen, setMenuOpen] = useState(false);
  const [palette, setPalette] = useState(false);
  const [shortcuts, setShortcuts] = useState(false);
  const live = useMay("followEvents");
  useLive(live);
  usePreloadedScreens();
  useShortcuts({ openPalette: () => setPalette(true), openSheet: () => setShortcuts(true) });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a navigation closes the menu
  useEffect(() => setMenuOpen(false), [pathname]);
  return (
    <div className="shell">
      <a className="shell-skip" href="#content">
        {t.skipToTheContent}
      </a>
      <header className="shell-top">
        <button
          type="button"
          className="shell-burger"
          aria-expanded={menuOpen}
          aria-controls="menu"
          onClick={() => setMenuOpen(!menuOpen)}
        >
          <span className="hidden-text">{t.menu}</span>
          <span aria-hidden="true">{menuOpen ? "✕" : "☰"}</span>
        </button>
        <a className="shell-brand" href="/">
          <img src={icon} alt="" width="24" height="24" />
          <span className="cut">{tenant.name || "Muster"}</span>
        </a>
        <button type="button" className="shell-search" onClick={() => setPalette(true)} aria-keyshortcuts="Control+K">
          <span className="cut">{t.searchOrGoTo2}</span>
          <kbd>Ctrl K</kbd>
        </button>
        {live && <LiveState />}
        <UserMenu onShortcuts={() => setShortcuts(true)} />
      </header>
      <nav id="menu" className={menuOpen ? "shell-menu shell-menu-open" : "shell-menu"} aria-label={t.main}>
        <Menu path={pathname} />
        <footer className="menu-version soft">Muster {version}</footer>
      </nav>
      <main id="content" className="shell-main" tabIndex={-1}>
        <Fragment value={fragment}>
          <Outlet />
        </Fragment>
      </main>
      <Palette opened={palette} onClose={() => setPalette(false)} />
      <ShortcutSheet opened={shortcuts} onClose={() => setShortcuts(false)} />
    </div>
  );
}

/** The screens that the user may open, by group. */
function Menu({ path }: { path: string }) {
  const session = useSession();
  const offered = appRoutes.filter(({ menu, operations }) => menu && mayAll(session, operations));
  const groups = Map.groupBy(offered, ({ menu }) => menu!.group);
  return [...groups].map(([group, routes]) => <MenuGroup key={group} group={group} routes={routes} path={path} />);
}

/** A group of the menu. A person folds it by its title; the screen that is open stays visible. */
function MenuGroup({ group, routes, path }: { group: string; routes: readonly AppRoute[]; path: string }) {
  const [folded, fold] = useFolded(group);
  const shown = folded ? routes.filter((route) => isWithin(path, route.path)) : routes;
  const id = `menu-${routes[0]!.menu!.key}`;
  return (
    <div className="menu-group">
      {group !== screens.overview && (
        <button
          type="button"
          className="menu-title row between"
          aria-expanded={!folded}
          aria-controls={id}
          onClick={() => fold(!folded)}
        >
          {group}
          <span aria-hidden="true">{folded ? "+" : "−"}</span>
        </button>
      )}
      <ul id={id} className="list" aria-label={group}>
        {shown.map((route) => (
          <li key={route.path}>
            <Entry route={route} current={isWithin(path, route.path)} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Entry({ route, current }: { route: AppRoute; current: boolean }) {
  const Icon = icons[route.menu!.icon];
  return (
    <a className="menu-link" href={route.path} aria-current={current ? "page" : undefined}>
      {Icon && <Icon size={18} stroke={1.6} aria-hidden="true" />}
      {route.title}
      {route.path === "/anomalies" && <OpenAnomalies />}
    </a>
  );
}

/** The number of open anomalies, also in the title of the page. */
function OpenAnomalies() {
  const open = useQuery(openAnomaliesQuery).data?.total ?? 0;
  useEffect(() => {
    setTitleCount(open);
    return () => setTitleCount(0);
  }, [open]);
  if (open === 0) return null;
  return (
    <span className="menu-count">
      {numberText(open)} <span className="hidden-text">{t.open}</span>
    </span>
  );
}

function isWithin(path: string, route: string): boolean {
  return route === "/" ? path === "/" : path === route || path.startsWith(`${route}/`);
}

const SCHEMES = [
  ["auto", t.system],
  ["light", t.light],
  ["dark", t.dark],
] as const;

/** The menu of the signed-in user: account, colours, sign-out. */
function UserMenu({ onShortcuts }: { onShortcuts: () => void }) {
  const { user, profile } = useSession();
  const { setColorScheme } = useMantineColorScheme();
  useEffect(() => setColorScheme(profile.theme ?? "auto"), [profile.theme, setColorScheme]);
  const { pathname } = useLocation();
  const panel = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a navigation closes it
  useEffect(() => panel.current?.hidePopover(), [pathname]);
  return (
    <>
      <button type="button" className="user-button" popoverTarget="user-menu" aria-label={t.accountOf(user.email)}>
        {(profile.name ?? user.email).charAt(0).toUpperCase()}
      </button>
      <div ref={panel} id="user-menu" className="user-menu framed" popover="auto">
        <Content onShortcuts={onShortcuts} />
      </div>
    </>
  );
}

function Content({ onShortcuts }: { onShortcuts: () => void }) {
  const { user, profile, tenant } = useSession();
  const [scheme, choose] = useScheme();
  const signOut = useSignOut();
  return (
    <>
      <p>
        <strong>{profile.name ?? user.email}</strong>
        <br />
        {profile.name && (
          <>
            <span className="soft">{user.email}</span>
            <br />
          </>
        )}
        <span className="soft">{t.of(ROLES[user.role], tenant.name)}</span>
      </p>

      <a href="/account">{t.accountAndSessions}</a>
      <a href="/docs/api" target="_blank" rel="noreferrer">
        {t.apiReference}
      </a>
      <fieldset className="user-schemes">
        <legend>{t.colours}</legend>
        {SCHEMES.map(([each, label]) => (
          <button key={each} type="button" aria-pressed={scheme === each} onClick={() => void choose(each)}>
            {label}
          </button>
        ))}
      </fieldset>
      <button type="button" popoverTarget="user-menu" popoverTargetAction="hide" onClick={onShortcuts}>
        {palette.shortcuts}
      </button>
      <button type="button" onClick={signOut}>
        {t.signOut}
      </button>
    </>
  );
}

/** Returns the color scheme of the user, and a function that changes it for all of their browsers. */
function useScheme() {
  const { profile } = useSession();
  const queries = useQueryClient();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const choose = async (scheme: typeof colorScheme) => {
    setColorScheme(scheme);
    try {
      const saved = await saveProfile({ ...profile, theme: scheme === "auto" ? null : scheme });
      queries.setQueryData(sessionQuery.queryKey, (session) => session && { ...session, profile: saved });
    } catch (error) {
      toast(sentence(asProblem(error).message));
    }
  };
  return [colorScheme, choose] as const;
}

function useSignOut(): () => Promise<void> {
  const queries = useQueryClient();
  const router = useRouter();
  return async () => {
    try {
      await endSession(queries);
      await router.navigate({ to: "/sign-in" });
    } catch (error) {
      toast(sentence(asProblem(error).message));
    }
  };
}
