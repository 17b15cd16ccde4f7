import sys
from urllib.parse import urlsplit

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

broker, device_id, topic, commands = sys.argv[1:]


def say(*words):
    print(*words, flush=True)


def on_connect(client, userdata, flags, reason_code, properties):
    if not reason_code.is_failure:
        say("connected")
        client.subscribe(commands, qos=1)
        return
    say(f"refused: {reason_code} (0x{reason_code.value:02X})")
    if reason_code.value == 0x87:  # trying again does not help
        client.disconnect()


def on_subscribe(client, userdata, mid, reason_codes, properties):
    if reason_codes[0].is_failure:
        say("not subscribed:", reason_codes[0])


def on_publish(client, userdata, mid, reason_code, properties):
    if reason_code.is_failure:  # only this message: the session stays
        say(f"a message was refused: {reason_code} (0x{reason_code.value:02X})")
    else:
        say("a message is stored")


def on_message(client, userdata, message):
    command = message.payload.decode()
    say("command:", command)
    if command == "read":
        client.publish(topic, '{"temperature": 21.5}', qos=1)
    if command == "try":
        client.publish(f"{topic}/other", "not my topic", qos=1)
    client.ack(message.mid, message.qos)  # done: the service forgets it
    if command == "stop":
        client.disconnect()


def on_disconnect(client, userdata, flags, reason_code, properties):
    if flags.is_disconnect_packet_from_server:
        say(f"disconnected by the broker: {reason_code} (0x{reason_code.value:02X})")


client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id=device_id, protocol=mqtt.MQTTv5, manual_ack=True)
client.tls_set(ca_certs="ca.pem", certfile="fullchain.pem", keyfile="key.pem")
client.reconnect_delay_set(min_delay=1, max_delay=60)
for handler in (on_connect, on_subscribe, on_publish, on_message, on_disconnect):
    setattr(client, handler.__name__, handler)

session = Properties(PacketTypes.CONNECT)
session.SessionExpiryInterval = 7 * 86400
session.ReceiveMaximum = 16
url = urlsplit(broker)
client.connect(url.hostname, url.port, keepalive=60, clean_start=False, properties=session)
client.loop_forever()
