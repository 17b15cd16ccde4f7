import { useState } from "react";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/devices.ts";
import { t as screens } from "#texts/screens.ts";
import type { Schemas } from "../../../api/client.ts";
import { type DeviceQuery, listDevices } from "../../../api/devices.ts";
import { useAct } from "../../../parts/act/use-act.tsx";
import { ConfirmEnd, Outcome } from "../../../parts/bulk/use-bulk.tsx";
import { MOST_COMPARED } from "../../../parts/chart/most-compared.ts";
import { useMay } from "../../../parts/session.ts";
import { numberText } from "../../../texts/number-text.ts";
import { Action, Opens } from "../../../ui/ui.ts";
import { GroupsForm, PacksForm, TypeForm } from "./change-forms.tsx";
import "./bulk-bar.css";

type BulkOutcome = Schemas["BulkOutcome"];

interface BulkBarProps {
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
  /** The ids of the devices of this page. */
  page: readonly string[];
  /** The filters of the list, and the number of devices that match them. */
  query: DeviceQuery;
  total: number;
  types: readonly { id: string; name: string }[];
}

export function BulkBar({ selected, onSelect, page, query, total, types }: BulkBarProps) {
  const [end, setEnd] = useState<"revoke_certificates" | "delete">();
  const [outcome, setOutcome] = useState<BulkOutcome>();
  const mayDelete = useMay("deleteDevice");
  const mayRevoke = useMay("revokeCertificatesOfDevice");
  const ids = [...selected];
  const count = nouns.device(ids.length);
  const done = (answer: BulkOutcome) => {
    setEnd(undefined);
    setOutcome(answer);
    onSelect(new Set(answer.items.filter((item) => item.outcome !== "done").map(({ id }) => id)));
  };
  const form = (close: () => void) => ({
    ids,
    onClose: close,
    onDone: (answer: BulkOutcome) => {
      close();
      done(answer);
    },
  });
  return (
    <>
      {selected.size > 0 && (
        <section className="row bulk-bar framed" aria-label={t.selectedDevices}>
          <span aria-live="polite">{t.selected(count)}</span>
          {selected.size < page.length && (
            <Action small label={t.selectAllOnThisPage} onClick={() => onSelect(new Set(page))} />
          )}
          {selected.size >= page.length && total > selected.size && (
            <SelectMatching query={query} total={total} onSelect={onSelect} />
          )}
          <Compare ids={ids} />
          <Action small label={t.clearSelection} onClick={() => onSelect(new Set())} />
          {mayDelete && (
            <>
              <Opens small label={t.setType} title={t.setTheTypeOf(count)}>
                {(close) => <TypeForm types={types} {...form(close)} />}
              </Opens>
              <Opens small label={common.groups} title={t.changeTheGroupsOf(count)}>
                {(close) => <GroupsForm {...form(close)} />}
              </Opens>
            </>
          )}
          <Opens small label={common.thresholdPacks} title={t.changeTheThresholdPacksOf(count)}>
            {(close) => <PacksForm {...form(close)} />}
          </Opens>
          {mayRevoke && <Action small label={t.revokeCertificates} onClick={() => setEnd("revoke_certificates")} />}
          {mayDelete && <Action small label={common.delete} onClick={() => setEnd("delete")} />}
        </section>
      )}
      <ConfirmEnd act={end} ids={ids} onClose={() => setEnd(undefined)} onDone={done} />
      <Outcome outcome={outcome} left={t.whichStaySelected} onClose={() => setOutcome(undefined)} />
    </>
  );
}

function Compare({ ids }: { ids: readonly string[] }) {
  if (ids.length > MOST_COMPARED)
    return <Action small disabled label={screens.compareDevices} title={t.atMostCompared(MOST_COMPARED)} />;
  return <Action small label={screens.compareDevices} href={`/compare?devices=${ids.join(",")}`} />;
}

/** The most devices that can be selected: 25 requests to read them, and a hundred to change them. */
const MOST = 5_000;
const PAGE = 200;

interface SelectMatchingProps {
  query: DeviceQuery;
  total: number;
  onSelect: (selected: ReadonlySet<string>) => void;
}

/** Selects every device that matches the filters, on all pages. */
function SelectMatching({ query, total, onSelect }: SelectMatchingProps) {
  const { act, busy, error } = useAct();
  if (total > MOST) return <span className="soft">{t.narrowTheListToDevices(numberText(MOST))}</span>;
  const select = () => act(async () => onSelect(await idsOf(query, total)));
  const label = t.selectAllOfTheList(nouns.device(total));
  return (
    <>
      <Action small label={label} loading={busy} onClick={() => void select()} />
      {error !== undefined && <span role="alert">{t.theListCouldNotBe}</span>}
    </>
  );
}

/** Reads the ids of all matching devices. One that a new device moves to the next page meanwhile is selected once. */
async function idsOf(query: DeviceQuery, total: number): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (let skip = 0; skip < total; skip += PAGE) {
    const { items } = await listDevices({ ...query, skip, limit: PAGE });
    for (const { id } of items) ids.add(id);
  }
  return ids;
}
