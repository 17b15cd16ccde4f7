/** What the commands need to know. */
export interface EnrollmentSettings {
  /** Where the API is: `https://muster.example`. */
  baseUrl: string;
  claimCode: string;
  /** Authorities of a development certificate, PEM; absent where every client trusts the service's certificate. */
  caPem?: string | undefined;
  /** The topic's end has the device id, which the answer brings. */
  broker: { host: string; port: number };
  /** Where the device keeps its key: of its own, since a second device in the same folder would take over the first. */
  folder: string;
}

const MOST_CHARACTERS = 40;

/**
 * The folder of a device: its name in letters that every shell and file system takes, and the end of its claim code, since several devices
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

/** Writes `content` into `file`, which is not read by the shell. */
function fileOf(file: string, content: string): string {
  return `cat > ${file} <<'PEM'\n${content.trim()}\nPEM\n`;
}

/**
 * One block for a POSIX shell with openssl, curl and mosquitto_pub: makes a key, redeems the claim code, publishes a first reading.
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

/** The same with the agent, which stays connected and renews by itself. */
export function agentCommands({ baseUrl, claimCode, caPem, folder }: EnrollmentSettings): string {
  return `${caPem ? fileOf("https-ca.pem", caPem) : ""}npx muster-agent enroll --server '${baseUrl}' ${caPem ? "--ca https-ca.pem " : ""}\\
  --claim ${claimCode} --fingerprint "$(hostname)-${folder.split("/").at(-1)}" --model "$(uname -m)" --state-dir ./${folder}
echo '{"temperature": 21.5}' | npx muster-agent run --state-dir ./${folder}`;
}
