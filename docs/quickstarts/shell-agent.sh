#!/bin/sh
# A whole Muster device in shell: needs openssl, curl and mosquitto_pub. State files are those of muster-agent.
#   shell-agent.sh enroll  <state-dir> <server> <claim> <fingerprint> <model> [<https-ca-file>]
#   shell-agent.sh publish <state-dir> [<topic>]     sends each line of standard input as one message
#   shell-agent.sh renew   <state-dir> [now]         for a daily timer: does nothing before renewAfterUtc
set -eu
umask 077
usage() { sed -n '2,5s/^# *//p' "$0" >&2; exit 2; }
[ $# -ge 2 ] || usage
command=$1 dir=$2 answer=$2/answer.json device=$2/device.json next=$2/next
shift 2

# field <name> <file>: a JSON string, or the first string of a JSON list, with its newlines (PEM) made real.
field() { tr -d '\n' < "$2" | sed -n "s/.*\"$1\" *: *\[\{0,1\} *\"\([^\"]*\)\".*/\1/p" | sed 's/\\n/\
/g'; }
topics() { tr -d '\n' < "$1" | sed -n 's/.*"publishTopics" *: *\(\[[^]]*\]\).*/\1/p'; }
json() { printf '%s' "$1" | sed 's/[\\"]/\\&/g'; }
# A CSR for a key that is made before the call and kept until the call succeeded.
csr() {
  [ -s "$next/key.pem" ] || openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$next/key.pem"
  openssl req -new -sha256 -key "$next/key.pem" -subj / | awk '{ printf "%s\\n", $0 }'
}
# post <url> <body>, presenting the certificate where there is one: it authorizes renewal and proves re-enrollment.
post() {
  url=$1 body=$2
  set -- -sS --max-time 30 -o "$answer" -w '%{http_code}' -H 'Content-Type: application/json'
  [ ! -s "$dir/https-ca.pem" ] || set -- "$@" --cacert "$dir/https-ca.pem"
  [ ! -s "$dir/fullchain.pem" ] || set -- "$@" --cert "$dir/fullchain.pem" --key "$dir/key.pem"
  status=$(printf '%s' "$body" | curl "$@" --data-binary @- "$url")
  [ "$status" = 200 ] || { echo "$(field error "$answer"): $(field message "$answer")" >&2; exit 1; }
}
# keep <server> <topics>: writes the new state under next/, its device.json last; then moves it into place.
keep() {
  for pair in cert:clientCert chain:clientCertChain ca:serverCaBundle; do
    field "${pair#*:}" "$answer" > "$next/${pair%:*}.pem"
  done
  cat "$next/cert.pem" "$next/chain.pem" > "$next/fullchain.pem"
  { printf '{"server":"%s",\n' "$1"; for name in deviceId brokerUrl topicPrefix renewalEndpoint certExpiresAt renewAfterUtc; do
    value=$(field $name "$answer"); [ -n "$value" ] || value=$(field $name "$device")
    printf '"%s":"%s",\n' $name "$value"
  done; printf '"publishTopics":%s}\n' "$2"; } > "$next/device.tmp"
  mv "$next/device.tmp" "$next/device.json"; rm "$answer"; place
}
place() { mv "$next"/*.pem "$dir/"; mv "$next/device.json" "$device"; }
mkdir -p "$next"
[ ! -f "$next/device.json" ] || place   # an earlier run was cut short while moving

case $command in
  enroll) [ $# -ge 4 ] || usage
    [ $# -lt 5 ] || cp "$5" "$dir/https-ca.pem"
    post "$1/api/provisioning/claim" "{\"claimCode\":\"$2\",\"hardwareFingerprint\":\"$(json "$3")\",\"hardwareModel\":\"$(json "$4")\",\"agentVersion\":\"shell-1\",\"csr\":\"$(csr)\"}"
    keep "$1" "$(topics "$answer")"; echo "enrolled as $(field deviceId "$device")" ;;
  renew) [ "${1-}" = now ] || expr "$(date -u +%Y-%m-%dT%H:%M:%S)" \> "$(field renewAfterUtc "$device")" > /dev/null || exit 0
    post "$(field server "$device")$(field renewalEndpoint "$device")" "{\"csr\":\"$(csr)\"}"
    keep "$(field server "$device")" "$(topics "$device")"; echo "renewed until $(field certExpiresAt "$device")" ;;
  publish) broker=$(field brokerUrl "$device") broker=${broker#mqtts://}
    mosquitto_pub -h "${broker%:*}" -p "${broker##*:}" -i "$(field deviceId "$device")" -t "${1:-$(field publishTopics "$device")}" \
      -V mqttv5 -q 1 -l --cafile "$dir/ca.pem" --cert "$dir/fullchain.pem" --key "$dir/key.pem" ;;
  *) usage ;;
esac
