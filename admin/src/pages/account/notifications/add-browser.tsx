import { t } from "#texts/pages/account.ts";
import { addOwnPush, getPushKey, OWN_NOTIFICATIONS } from "../../../api/people/own-notifications.ts";
import { Problem } from "../../../api/problem.ts";
import { Runs } from "../../../parts/act/use-act.tsx";
import { browserName } from "../browser-name.ts";

/** Adds this browser as a channel of the user. Shows nothing if the browser does not support notifications. */
export function AddBrowser() {
  if (window.PushManager === undefined || navigator.serviceWorker === undefined) return null;
  return (
    <Runs label={t.notifyThisBrowser} run={subscribe} done={t.pressTheNotification} refreshes={[OWN_NOTIFICATIONS]} />
  );
}

async function subscribe(): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted") throw unavailable(t.theBrowserAllowsNoNotifications);
  const { publicKey } = await getPushKey();
  // The worker controls no page, so the scope may be its own folder.
  const worker = await navigator.serviceWorker.register(new URL("./push-worker.js", import.meta.url));
  await activated(worker);
  const asked = { userVisibleOnly: true, applicationServerKey: publicKey };
  const subscription = await worker.pushManager.subscribe(asked).catch(() => {
    throw unavailable(t.theBrowserHasNoPushService);
  });
  const { endpoint, keys } = subscription.toJSON();
  await addOwnPush({ endpoint: endpoint!, p256dh: keys!.p256dh!, auth: keys!.auth!, name: browserName() });
}

/** An error for a refusal by the browser, in the form of the service's errors. */
function unavailable(message: string): Problem {
  return new Problem(400, { error: "push_unavailable", message });
}

/** Resolves once the worker can receive notifications. */
function activated({ active, installing, waiting }: ServiceWorkerRegistration): Promise<void> {
  const worker = installing ?? waiting;
  if (active || !worker) return Promise.resolve();
  return new Promise((resolve) => {
    worker.addEventListener("statechange", () => worker.state === "activated" && resolve());
  });
}
