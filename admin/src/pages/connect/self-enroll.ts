/** The values for the commands. */
interface EnrollmentSettings {
  /** The address of the API: `https://muster.example`. */
  baseUrl: string;
  claimCode: string;
  /** The authorities of a development certificate as PEM; absent if every client trusts the service's certificate. */
  caPem?: string | undefined;
  /** The address of the broker; the device id in the topic comes from the answer to the claim. */
  broker: { host: string; port: number };
  /** The folder of the device's key. A second device in the same folder would overwrite the first. */
  folder: string;
}

const MOST_CHARACTERS = 40;

/**
 * Returns the folder of a device: its name in portable characters, and the end of its claim code, since several devices
 * may have the same name.
 */
export function folderOf(name: string | undefined, claimCode: string): string {
  const plain = (name ?? "")
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-");
  const folder = plain.slice(0, MOST_CHARACTERS).replaceAll(/^-+|-+$/g, "");
  const end = claimCode.slice(-4).toLowerCase();
  return `muster-device/${folder ? `${folder}-${end}` : end}`;
}

/** Returns the command that writes `content` into `file` without expansion by the shell. */
function fileOf(file: string, content: string): string {
  return `cat > ${file} <<'PEM'\n${content.trim()}\nPEM\n`;
}

/**
 * Returns a block for a POSIX shell with openssl, curl and mosquitto_pub: makes a key, redeems the claim code,
 * publishes a first reading.
 */
export function shellCommands({ baseUrl, claimCode, caPem, broker, folder }: EnrollmentSettings): string {
  const trust = caPem ? "--cacert https-ca.pem " : "";
  return `mkdir -p ${folder} && cd ${folder}
${caPem ? fileOf("https-ca.pem", caPem) : ""}openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem
openssl req -new -sha256 -key key.pem -subj / -out device.csr

curl -sS ${trust}-H 'Content-Type: application/json' -o answer.json '${baseUrl}/api/provisioning/claim' --data-binary @- <<JSON
{ "claimCode": "${claimCode}", "hardwareFingerprint": "$(hostname)-$(date +%s)", "hardwareModel": "shell",
  "agentVersion": "1.0", "csr": "$(awk '{ printf "%s\\\\n", $0 }' device.csr)" }
JSON
field() { sed -n "s/.*\\"$1\\":\\[\\{0,1\\}\\"\\([^\\"]*\\)\\".*/\\1/p" answer.json | awk '{ gsub(/\\\\n/, "\\n"); print }'; }
field clientCert > fullchain.pem; field clientCertChain >> fullchain.pem; field serverCaBundle > ca.pem

mosquitto_pub -V mqttv5 -h ${broker.host} -p ${broker.port} --cafile ca.pem --cert fullchain.pem --key key.pem \\
  -i "$(field deviceId)" -q 1 -t "$(field publishTopics)" -m '{"temperature": 21.5}'`;
}

/** Returns the same block for the agent, which stays connected and renews by itself. */
export function agentCommands({ baseUrl, claimCode, caPem, folder }: EnrollmentSettings): string {
  return `${caPem ? fileOf("https-ca.pem", caPem) : ""}npx muster-agent enroll --server '${baseUrl}' ${caPem ? "--ca https-ca.pem " : ""}\\
  --claim ${claimCode} --fingerprint "$(hostname)-${folder.split("/").at(-1)}" --model "$(uname -m)" --state-dir ./${folder}
echo '{"temperature": 21.5}' | npx muster-agent run --state-dir ./${folder}`;
}
