import "./tabs.css";

export interface Tab {
  href: string;
  label: string;
  /** Beside the label. */
  count?: number | undefined;
  current: boolean;
}

/** Parts of a screen, each with an address of its own. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(({ href, label, count, current }) => (
        <a key={href} href={href} aria-current={current ? "page" : undefined}>
          {label}
          {count !== undefined && <span className="tabs-count">{count}</span>}
        </a>
      ))}
    </nav>
  );
}
