import { useQuery } from "@tanstack/react-query";
import { unknownRefusalsQuery } from "../../api/people/platform.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { useListState } from "../../parts/url-state.ts";
import { Empty } from "../../ui/display/empty.tsx";
import { Pager } from "../../ui/display/pager.tsx";
import { RefusalCard } from "../refusals/refusal-card.tsx";

/** Refused clients whose tenant is not known, such as those with a certificate of another authority. */
export function UnknownRefusals() {
  const { skip, onSkip } = useListState();
  return (
    <Loaded query={useQuery(unknownRefusalsQuery(skip))}>
      {(page) => (
        <>
          {page.total === 0 && <Empty title="The broker has refused no such client." />}
          <div className="stack">
            {page.items.map((refusal) => (
              <RefusalCard key={refusal.id} refusal={refusal} />
            ))}
          </div>
          <Pager page={page} of="refusal" onSkip={onSkip} />
        </>
      )}
    </Loaded>
  );
}
