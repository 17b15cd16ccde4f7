import { NativeSelect } from "@mantine/core";
import { type RefObject, useEffect, useRef } from "react";
import "./tabs.css";

interface Tab {
  href: string;
  label: string;
  /** Shown beside the label. */
  count?: number | undefined;
  current: boolean;
}

/** Parts of a screen, each with an address of its own. */
export function Tabs({ label, tabs }: TabsProps) {
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
    <>
      {tabs.length > FITTING && <TabSelect label={label} tabs={tabs} />}
      <Links element={element} label={label} tabs={tabs} />
    </>
  );
}

/** A phone shows more tabs than these as a select. */
const FITTING = 4;

interface TabsProps {
  label: string;
  tabs: readonly Tab[];
}

/** The tabs as a list that a phone shows whole; choosing one follows its link. */
function TabSelect({ label, tabs }: TabsProps) {
  const open = (href: string) =>
    document.querySelector<HTMLAnchorElement>(`.tabs a[href=${JSON.stringify(href)}]`)?.click();
  return (
    <NativeSelect
      className="tabs-select"
      aria-label={label}
      value={tabs.find((tab) => tab.current)?.href}
      onChange={(event) => open(event.currentTarget.value)}
      data={tabs.map(({ href, label }) => ({ value: href, label }))}
    />
  );
}

function Links({ element, label, tabs }: TabsProps & { element: RefObject<HTMLElement | null> }) {
  return (
    <nav ref={element} data-many={tabs.length > FITTING || undefined} className="tabs" aria-label={label}>
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
