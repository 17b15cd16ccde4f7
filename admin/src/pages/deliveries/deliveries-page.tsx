import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { DELIVERIES, type DeliveryQuery, deliveriesQuery } from "../../api/monitoring/deliveries.ts";
import { groupChoicesQuery } from "../../api/people/groups.ts";
import { filled } from "../../api/queries.ts";
import { negatable, PERIOD, periodOf } from "../../parts/filter-values.ts";
import { ListFrame } from "../../parts/list/list-frame.tsx";
import { NoneMatches } from "../../parts/list/none-matches.tsx";
import { useSession } from "../../parts/session.ts";
import { type ListState, useListState } from "../../parts/url-state.ts";
import { Empty } from "../../ui/display/empty.tsx";
import { type Filter, Filters } from "../../ui/input/filters.tsx";
import { Page } from "../../ui/page/page.tsx";
import { choicesOf } from "../../words/devices.ts";
import { DELIVERY_STATES } from "../../words/monitoring.ts";
import { DeliveryTable } from "./delivery-table.tsx";

const PAGE = 50;

/** Messages to people and webhooks: who was notified when, and how it went. */
export default function DeliveriesPage() {
  const list = useListState();
  const groups = useQuery(groupChoicesQuery()).data?.items ?? [];
  const filters = filtersOf(groups);
  const query = queryOf(list);
  const read = useQuery(deliveriesQuery(query));
  const narrowed = [...filters.map(({ name }) => name), "anomalyId"].filter((name) => list.values[name]);
  const clear = () => list.onFilter(Object.fromEntries(narrowed.map((name) => [name, undefined])));
  return (
    <Page title="Messages" lead="What was sent to people and webhooks, with every attempt.">
      <Filters filters={filters} values={list.values} onChange={list.onFilter} />
      {list.values.anomalyId && (
        <p className="row">
          <a href={`/anomalies/${list.values.anomalyId}`}>Of one anomaly</a>
          <Button size="xs" variant="default" onClick={() => list.onFilter({ anomalyId: undefined })}>
            Show those of all
          </Button>
        </p>
      )}
      <ListFrame read={read} of="message" path={DELIVERIES} query={query} onSkip={list.onSkip}>
        {(rows) => (
          <DeliveryTable rows={rows} empty={<NoDeliveries narrowed={narrowed.length > 0} onClear={clear} />} />
        )}
      </ListFrame>
    </Page>
  );
}

function filtersOf(groups: readonly { id: string; name: string }[]): readonly Filter[] {
  return [
    { kind: "choice", name: "state", label: "State", options: choicesOf(DELIVERY_STATES), not: true },
    {
      kind: "choice",
      name: "channel",
      label: "By",
      options: [
        ["email", "email"],
        ["webhook", "webhook"],
      ],
    },
    { kind: "choice", name: "groupId", label: "Group", options: groups.map(({ id, name }) => [id, name] as const) },
    ...PERIOD,
  ];
}

function queryOf({ values, skip }: ListState): DeliveryQuery {
  const { channel, groupId, anomalyId } = values;
  const narrowed = { ...negatable(values, "state"), ...periodOf(values), channel, groupId, anomalyId };
  return { ...filled(narrowed), skip, limit: PAGE } as DeliveryQuery;
}

function NoDeliveries({ narrowed, onClear }: { narrowed: boolean; onClear: () => void }) {
  const { role } = useSession().user;
  if (narrowed) return <NoneMatches of="message" onClear={onClear} />;
  return (
    <Empty title="No message was sent yet">
      {role === "admin"
        ? "Groups notify their people and channels of anomalies of their devices."
        : "You see those of the groups that you are a member of."}
    </Empty>
  );
}
