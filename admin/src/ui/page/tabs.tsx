import { useEffect, useRef } from "react";
import "./tabs.css";

interface Tab {
  href: string;
  label: string;
  /** Shown beside the label. */
  count?: number | undefined;
  current: boolean;
}

/** Parts of a screen, each with an address of its own. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const element = useRef<HTMLElement>(null);
  const current = tabs.find((tab) => tab.current)?.href;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is current
  useEffect(() => {
    const tabs = element.current!;
    // A phone may be turned.
    const observer = new ResizeObserver(() => showCurrent(tabs));
    observer.observe(tabs);
    return () => observer.disconnect();
  }, [current]);
  return (
    <nav ref={element} className="tabs" aria-label={label}>
      {tabs.map(({ href, label, count, current }) => (
        <a key={href} href={href} aria-current={current ? "page" : undefined}>
          {label}
          {count !== undefined && <span className="tabs-count">{count}</span>}
        </a>
      ))}
    </nav>
  );
}

/** Scrolls the tabs, and nothing else of the page, to the current one. */
function showCurrent(tabs: HTMLElement): void {
  const current = tabs.querySelector<HTMLElement>("[aria-current]");
  if (!current) return;
  const left = current.offsetLeft - tabs.offsetLeft;
  if (left + current.offsetWidth > tabs.clientWidth)
    tabs.scrollLeft = left - (tabs.clientWidth - current.offsetWidth) / 2;
}
