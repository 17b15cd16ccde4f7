import { Button } from "@mantine/core";
import { CopyBlock } from "../../ui/input/copy.tsx";
import { DialogActions } from "../../ui/input/dialog.tsx";
import { Secret } from "../../ui/input/secret.tsx";
import { useBroker } from "../connect/use-broker.ts";

export interface Credentials {
  clientId: string;
  username: string;
  password: string;
  publish: readonly string[];
  subscribe: readonly string[];
}

/** A password, once, with a command that tries it. */
export function ShowCredentials({ credentials, onDone }: { credentials: Credentials; onDone: () => void }) {
  const { broker, caPem } = useBroker();
  return (
    <>
      <Secret label={`Password of ${credentials.clientId}`} value={credentials.password} />
      {broker && (
        <CopyBlock label="Try it where the Mosquitto clients are installed">{commandOf(credentials, broker)}</CopyBlock>
      )}
      {caPem ? (
        <CopyBlock label="The authority that verifies the broker" file="ca.pem">
          {caPem}
        </CopyBlock>
      ) : (
        <p className="soft">
          <code>ca.pem</code> is the authority that verifies the broker, as it is in every certificate bundle.
        </p>
      )}
      <DialogActions>
        <Button onClick={onDone}>I have copied it</Button>
      </DialogActions>
    </>
  );
}

/** Subscribes to what it may read; a client that may only write publishes. */
function commandOf(credentials: Credentials, { host, port }: { host: string; port: number }): string {
  const { clientId, username, password, publish, subscribe } = credentials;
  const login = `-h ${host} -p ${port} --cafile ca.pem \\\n  -i '${clientId}' -u '${username}' -P '${password}'`;
  const [filter] = subscribe;
  if (filter !== undefined) return `mosquitto_sub -V mqttv5 ${login} -t '${filter}' -v`;
  return `mosquitto_pub -V mqttv5 ${login} -t '${publish[0] ?? "…"}' -m '{}'`;
}
