import { useQuery } from "@tanstack/react-query";
import { DELIVERIES, type DeliveryQuery, deliveriesQuery } from "../../api/monitoring/deliveries.ts";
import { groupChoicesQuery } from "../../api/people/groups.ts";
import { negatable, PERIOD, periodOf } from "../../parts/filter-values.ts";
import { Records } from "../../parts/list/records.tsx";
import { useSession } from "../../parts/session.ts";
import { type ListState, useListState } from "../../parts/url-state.ts";
import { Action, Empty, type Filter, Page } from "../../ui/ui.ts";
import { choicesOf } from "../../words/devices.ts";
import { DELIVERY_STATES } from "../../words/monitoring.ts";
import { DeliveryTable } from "./delivery-table.tsx";

const PAGE = 50;

export default function DeliveriesPage() {
  const list = useListState();
  const { anomalyId } = list.values;
  const groups = useQuery(groupChoicesQuery()).data?.items ?? [];
  const query = queryOf(list);
  return (
    <Page title="Messages" lead="What was sent to people and webhooks, with every attempt.">
      <Records
        label="Messages"
        of="message"
        list={list}
        filters={filtersOf(groups)}
        narrowedBy={["anomalyId"]}
        query={useQuery(deliveriesQuery(query))}
        table={(rows, empty) => <DeliveryTable rows={rows} empty={empty} />}
        csv={[DELIVERIES, query]}
        empty={<NoDeliveries />}
      >
        {anomalyId && (
          <p className="row">
            <a href={`/anomalies/${anomalyId}`}>Of one anomaly</a>
            <Action small label="Show those of all" onClick={() => list.onFilter({ anomalyId: undefined })} />
          </p>
        )}
      </Records>
    </Page>
  );
}

function filtersOf(groups: readonly { id: string; name: string }[]): readonly Filter[] {
  return [
    { kind: "choice", name: "state", label: "State", options: choicesOf(DELIVERY_STATES), not: true },
    { kind: "choice", name: "channel", label: "By", options: Object.entries({ email: "email", webhook: "webhook" }) },
    { kind: "choice", name: "groupId", label: "Group", options: groups.map(({ id, name }) => [id, name] as const) },
    ...PERIOD,
  ];
}

function queryOf({ values, skip }: ListState): DeliveryQuery {
  const { channel, groupId, anomalyId } = values;
  const narrowed = { ...negatable(values, "state"), ...periodOf(values), channel, groupId, anomalyId };
  return { ...narrowed, skip, limit: PAGE } as DeliveryQuery;
}

function NoDeliveries() {
  const { role } = useSession().user;
  return (
    <Empty title="No message was sent yet">
      {role === "admin"
        ? "Groups notify their people and channels of anomalies of their devices."
        : "You see those of the groups that you are a member of."}
    </Empty>
  );
}
