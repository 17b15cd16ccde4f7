import type { Bundle } from "../../api/certificates.ts";
import { CopyBlock } from "../../ui/input/copy.tsx";
import { useBroker } from "../connect/use-broker.ts";

/** A command that connects with the saved files and sends a first message. */
export function TryBundle({ bundle }: { bundle: Bundle }) {
  const { broker } = useBroker();
  if (!broker) return null;
  return <CopyBlock label="Try it in the folder of the archive">{commandOf(bundle, broker)}</CopyBlock>;
}

function commandOf({ deviceId, publishTopics }: Bundle, { host, port }: { host: string; port: number }): string {
  const files = "--cafile ca.pem --cert fullchain.pem --key key.pem";
  const [topic] = publishTopics;
  const at = `-h ${host} -p ${port} ${files} \\\n  -i '${deviceId}'`;
  if (topic !== undefined) return `mosquitto_pub -V mqttv5 ${at} -q 1 -t '${topic}' -m '{"temperature": 21.5}'`;
  return `mosquitto_pub -V mqttv5 ${at} -q 1 -t 'telemetry' -m '{}'   # refused: the device type names no topic`;
}
