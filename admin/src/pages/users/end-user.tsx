import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { MQTT_CLIENTS } from "../../api/broker/mqtt-clients.ts";
import { changeUser, deleteUser, impactQuery, USERS, type User } from "../../api/people/users.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { renderProblem } from "../../parts/problem-box.tsx";
import { toast } from "../../parts/toasts.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Confirm } from "../../ui/input/confirm.tsx";
import { ClientsThatStop } from "./clients-that-stop.tsx";
import { KeysThatStop } from "./keys-that-stop.tsx";

interface EndUserProps {
  user: User;
  etag: string | undefined;
  act: "deactivate" | "delete" | undefined;
  onClose: () => void;
}

/** Deactivates or deletes a user, after listing the API keys and MQTT clients that stop. */
export function EndUser({ user, etag, act, onClose }: EndUserProps) {
  const impact = useQuery({ ...impactQuery(user.id), enabled: act !== undefined });
  const refresh = useRefresh();
  const router = useRouter();
  const [title, action, done] =
    act === "delete"
      ? (["Delete", "Delete user", "is deleted"] as const)
      : (["Deactivate", "Deactivate user", "is deactivated"] as const);
  const end = async () => {
    if (act === "delete") await deleteUser(user.id);
    else await changeUser(user.id, etag, { status: "deactivated" });
    toast(`${user.email} ${done}.`);
    if (act === "delete") await router.navigate({ href: "/users" });
    await refresh(USERS, "/api/admin/keys", MQTT_CLIENTS);
  };
  return (
    <Confirm
      title={`${title} ${user.email}?`}
      opened={act !== undefined}
      onClose={onClose}
      action={action}
      typed={user.email}
      problem={renderProblem}
      onConfirm={end}
    >
      <p>The sessions of the user end at once. {act === "delete" ? "The account cannot be restored." : ""}</p>
      <Loaded query={impact}>
        {({ keys, mqttClients }) => (
          <>
            <p>
              <strong>
                {keys.length === 0 ? "No API key stops." : `These API keys stop for good (${keys.length}):`}
              </strong>
            </p>
            {keys.length > 0 && <KeysThatStop keys={keys} />}
            {mqttClients.length > 0 && (
              <ClientsThatStop clients={mqttClients}>
                {act === "delete"
                  ? "They connect again when another administrator enables them."
                  : "They connect again once the user is reactivated, or when another administrator enables them."}
              </ClientsThatStop>
            )}
          </>
        )}
      </Loaded>
    </Confirm>
  );
}
