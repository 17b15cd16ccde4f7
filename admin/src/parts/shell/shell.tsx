import { Outlet, useLocation } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import icon from "../../icon.svg";
import { LiveState } from "../live/live-state.tsx";
import { useLive } from "../live/use-live.ts";
import { Palette } from "../palette/palette.tsx";
import { useShortcuts } from "../palette/shortcuts.ts";
import { useMay, useSession } from "../session.ts";
import { Menu } from "./menu.tsx";
import { UserMenu } from "./user-menu.tsx";
import "./shell.css";

/** The frame of every screen with a session: menu, search, live state, user; on a phone the menu is behind a button. */
export function Shell() {
  const { tenant } = useSession();
  const { pathname } = useLocation();
  const [menuOpen, setMenuOpen] = useState(false);
  const [palette, setPalette] = useState(false);
  const live = useMay("followEvents");
  useLive(live);
  useShortcuts({ openPalette: () => setPalette(true) });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a navigation closes the menu
  useEffect(() => setMenuOpen(false), [pathname]);
  return (
    <div className="shell">
      <a className="shell-skip" href="#content">
        Skip to the content
      </a>
      <header className="shell-top">
        <button
          type="button"
          className="shell-burger"
          aria-expanded={menuOpen}
          aria-controls="menu"
          onClick={() => setMenuOpen(!menuOpen)}
        >
          <span className="hidden-text">Menu</span>
          <span aria-hidden="true">{menuOpen ? "✕" : "☰"}</span>
        </button>
        <a className="shell-brand" href="/">
          <img src={icon} alt="" width="24" height="24" />
          <span className="shell-tenant">{tenant.name || "Muster"}</span>
        </a>
        <button type="button" className="shell-search" onClick={() => setPalette(true)} aria-keyshortcuts="Control+K">
          <span>Search or go to…</span>
          <kbd>Ctrl K</kbd>
        </button>
        {live && <LiveState />}
        <UserMenu />
      </header>
      <nav id="menu" className={menuOpen ? "shell-menu shell-menu-open" : "shell-menu"} aria-label="Main">
        <Menu path={pathname} />
      </nav>
      <main id="content" className="shell-main" tabIndex={-1}>
        <Outlet />
      </main>
      <Palette opened={palette} onClose={() => setPalette(false)} />
    </div>
  );
}
