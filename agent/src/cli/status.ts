import { certificateDates } from "../renewal/schedule.ts";
import { systemRuntime } from "../runtime.ts";
import { readPending } from "../state/pending.ts";
import { loadCandidate, loadIdentity } from "../state/state.ts";
import { inWords, printResult } from "./output.ts";

/** Prints the identity in the state folder and its state by this machine's clock (`muster-agent status`). */
export async function status(flags: { stateDir: string; json?: boolean }): Promise<void> {
  const { device, certificate } = await loadIdentity(flags.stateDir);
  const { expiresAt, renewAfter } = certificateDates({ device, certificate });
  const now = systemRuntime.now();
  const state = now >= expiresAt ? "expired" : now >= renewAfter ? "renewal_due" : "active";
  const renewedNotConnected = (await loadCandidate(flags.stateDir)) !== undefined;
  const unansweredRequest = (await readPending(flags.stateDir))?.unanswered ?? false;
  const serialNumber = certificate.serialNumber.toLowerCase();
  const certExpiresAt = new Date(expiresAt).toISOString();
  const renewAfterUtc = new Date(renewAfter).toISOString();
  const { deviceId, server, brokerUrl, publishTopics, subscribeTopics } = device;
  printResult(
    flags.json ?? false,
    {
      deviceId,
      server,
      brokerUrl,
      publishTopics,
      ...(subscribeTopics.length > 0 ? { subscribeTopics } : {}),
      serialNumber,
      state,
      certExpiresAt,
      renewAfterUtc,
      renewedNotConnected,
      unansweredRequest,
    },
    [
      `device       ${deviceId}`,
      `server       ${server}`,
      `broker       ${brokerUrl}`,
      `topics       ${publishTopics.join(", ") || "none"}`,
      ...(subscribeTopics.length > 0 ? [`commands     ${subscribeTopics.join(", ")}`] : []),
      `certificate  ${serialNumber}, ${state.replace("_", " ")}`,
      `expires      ${certExpiresAt} (${inWords(expiresAt - now)}${expiresAt < now ? " ago" : ""})`,
      `renewal from ${renewAfterUtc}`,
      ...(renewedNotConnected ? ["A renewed certificate is waiting for its first connection."] : []),
      ...(unansweredRequest ? ["The last request to the server got no answer."] : []),
    ],
  );
}
