"""The story of an integrator with the clients of openapi-python-client: from a claim to a ticket.

Environment: BASE_URL, API_KEY, CA_FILE. It prints one line of JSON.
"""

import json
import os
import ssl
import tempfile
import time
from pathlib import Path
from queue import Queue
from urllib.parse import urlparse

import paho.mqtt.client as mqtt
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from muster_device_facing_endpoints_client import Client as DeviceClient
from muster_device_facing_endpoints_client.api.provisioning import redeem_claim
from muster_device_facing_endpoints_client.models import Redemption
from muster_public_api_client import AuthenticatedClient
from muster_public_api_client.api.anomalies import acknowledge_anomaly, list_anomalies
from muster_public_api_client.api.commands import create_command, get_command
from muster_public_api_client.api.device_types import create_device_type
from muster_public_api_client.api.enrollment_claims import create_claim
from muster_public_api_client.api.thresholds import create_threshold
from muster_public_api_client.api.tickets import open_ticket
from muster_public_api_client.models import (
    AcknowledgementCreate,
    ClaimCreate,
    CommandCreate,
    DeviceTypeCreate,
    Error,
    Operator,
    Severity,
    ThresholdCreate,
    ThresholdRuleCreate,
    TicketCreate,
)

SECONDS = 20
BASE_URL, CA_FILE = os.environ["BASE_URL"], os.environ["CA_FILE"]
TRUST = ssl.create_default_context(cafile=CA_FILE)
api = AuthenticatedClient(
    BASE_URL, os.environ["API_KEY"], prefix="", auth_header_name="X-API-Key", verify_ssl=TRUST
)


def must(answer):
    """Returns the answer, or raises the error."""
    assert answer is not None and not isinstance(answer, Error), answer
    return answer


def until(check):
    """Returns the first true result of `check`."""
    deadline = time.monotonic() + SECONDS
    while not (found := check()):
        assert time.monotonic() < deadline, "nothing came in time"
        time.sleep(0.1)
    return found


# A device type with a rule, and a claim for one device.
rule = ThresholdRuleCreate(metric="temperature", operator=Operator.OPERATOR_GT, value=90.0, severity=Severity.SEVERITY_MAJOR)
pack = must(create_threshold.sync(client=api, body=ThresholdCreate(name="Bearings (Python)", rules=[rule])))
kind = must(
    create_device_type.sync(
        client=api,
        body=DeviceTypeCreate(
            name="Pump (Python)",
            publish_topics=["telemetry/{deviceId}"],
            subscribe_topics=["commands/{deviceId}"],
            threshold_ids=[pack.id],
        ),
    )
)
claim = must(create_claim.sync(client=api, body=ClaimCreate("Pump (Python)", intended_device_type_id=kind.id)))

# The device makes its key and redeems the code.
key = ec.generate_private_key(ec.SECP256R1())
request = x509.CertificateSigningRequestBuilder().subject_name(x509.Name([])).sign(key, hashes.SHA256())
enrolled = must(
    redeem_claim.sync(
        client=DeviceClient(BASE_URL, verify_ssl=TRUST),
        body=Redemption(
            claim_code=claim.claim_code,
            hardware_fingerprint="SN-python",
            hardware_model="Pump 3000",
            agent_version="1.0",
            csr=request.public_bytes(serialization.Encoding.PEM).decode(),
        ),
    )
)
device = enrolled.device_id

# It connects with its certificate.
folder = tempfile.TemporaryDirectory()
files = {name: Path(folder.name, name) for name in ("key.pem", "chain.pem", "ca.pem")}
pkcs8 = serialization.PrivateFormat.PKCS8
files["key.pem"].write_bytes(
    key.private_bytes(serialization.Encoding.PEM, pkcs8, serialization.NoEncryption())
)
files["chain.pem"].write_text(enrolled.mqtt.client_cert + enrolled.mqtt.client_cert_chain)
files["ca.pem"].write_text(enrolled.mqtt.server_ca_bundle)
received, subscribed = Queue(), Queue()
client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, device, protocol=mqtt.MQTTv5)
client.tls_set(files["ca.pem"], files["chain.pem"], files["key.pem"])
client.on_message = lambda _client, _data, message: received.put(message.payload)
client.on_subscribe = lambda *_: subscribed.put(True)
broker = urlparse(enrolled.mqtt.broker_url)
client.connect("localhost", broker.port)
client.loop_start()
until(client.is_connected)
client.subscribe(enrolled.mqtt.subscribe_topics[0], qos=1)
subscribed.get(timeout=SECONDS)

# A command reaches it, and counts as acknowledged.
wanted = CommandCreate(topic=enrolled.mqtt.subscribe_topics[0], payload='{"valve":"open"}')
command = must(create_command.sync(device, client=api, body=wanted, idempotency_key="command-python"))
assert received.get(timeout=SECONDS) == b'{"valve":"open"}'
until(lambda: must(get_command.sync(device, command.id, client=api)).state == "acknowledged")

# A reading over the limit opens an anomaly, which a person acknowledges and writes a ticket about.
client.publish(enrolled.mqtt.publish_topics[0], '{"temperature": 95}', qos=1).wait_for_publish(SECONDS)
anomaly = until(lambda: must(list_anomalies.sync(client=api, device_id=device)).items)[0]
assert (anomaly.severity, anomaly.value, anomaly.limit) == ("major", 95, 90)
comment = AcknowledgementCreate(comment="On my way")
assert must(acknowledge_anomaly.sync(anomaly.id, client=api, body=comment)).status == "acknowledged"
ticket = must(open_ticket.sync(client=api, body=TicketCreate("Replace the bearing", anomaly_id=anomaly.id)))
assert ticket.device_id == device
client.disconnect()
client.loop_stop()
print(json.dumps({"device": device, "ticket": ticket.number}))
