import { useQuery } from "@tanstack/react-query";
import { deviceOnCallQuery, type OnCall } from "../../api/people/on-call.ts";
import { Status } from "../../ui/display/status.tsx";
import { Ago } from "../../ui/display/time.tsx";

/** Who is on duty for a device now; what its groups lack, where an anomaly would page no user. */
export function OnCallNow({ id }: { id: string }) {
  const { data } = useQuery(deviceOnCallQuery(id));
  if (!data) return <span className="soft">–</span>;
  const uncovered = data.gaps[0] && Date.parse(data.gaps[0].from) <= Date.now();
  return (
    <>
      {data.now.map((duty) => (
        <div key={`${duty.groupId} ${duty.shiftId}`}>
          {duty.users.length > 0 ? duty.users.map(({ email }) => email).join(", ") : "no active user"} ({duty.shiftName}
          )
        </div>
      ))}
      {data.now.length === 0 && <div className="soft">no shift</div>}
      {uncovered && (
        <Status plain tone="bad">
          uncovered: an anomaly now would page no user
        </Status>
      )}
      {!uncovered && <NextGap gaps={data.gaps} />}
    </>
  );
}

function NextGap({ gaps: [next] }: Pick<OnCall, "gaps">) {
  if (!next) return null;
  return (
    <Status plain tone="warn">
      uncovered <Ago at={next.from} />
    </Status>
  );
}
