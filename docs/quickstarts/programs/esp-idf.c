#include <inttypes.h>
#include <string.h>
#include "esp_log.h"
#include "mqtt_client.h"
#include "mqtt5_client.h"

#define DEVICE_ID "xiswemnfbykpmzns"
#define TOPIC     "t/acme/telemetry/" DEVICE_ID
#define COMMANDS  "t/acme/commands/" DEVICE_ID

extern const char ca_pem[] asm("_binary_ca_pem_start");
extern const char fullchain_pem[] asm("_binary_fullchain_pem_start");
extern const char key_pem[] asm("_binary_key_pem_start");

static const char *TAG = "muster";

static void on_event(void *arg, esp_event_base_t base, int32_t id, void *data)
{
    esp_mqtt_event_handle_t event = data;
    switch ((esp_mqtt_event_id_t)id) {
    case MQTT_EVENT_CONNECTED:
        esp_mqtt_client_subscribe(event->client, COMMANDS, 1);
        esp_mqtt_client_enqueue(event->client, TOPIC, "{\"temperature\": 21.5}", 0, 1, 0, true);
        break;
    case MQTT_EVENT_PUBLISHED:
        // The broker has answered: stored, or refused (see the table).
        ESP_LOGI(TAG, "message %d is answered", event->msg_id);
        break;
    case MQTT_EVENT_DATA:
        ESP_LOGI(TAG, "command: %.*s", event->data_len, event->data);
        break;
    case MQTT_EVENT_DISCONNECTED:
        // 0x98 revoked, 0x8E taken over, 0x8B stopping, 0x97 quota: docs/broker.md
        ESP_LOGW(TAG, "disconnected, reason 0x%02x", event->error_handle->disconnect_return_code);
        break;
    case MQTT_EVENT_ERROR:
        // 0x87: revoked, expired or replaced; 0x85: not this certificate's client id
        if (event->error_handle->error_type == MQTT_ERROR_TYPE_CONNECTION_REFUSED)
            ESP_LOGE(TAG, "refused, reason 0x%02x", event->error_handle->connect_return_code);
        else
            ESP_LOGE(TAG, "TLS 0x%x", event->error_handle->esp_tls_last_esp_err);
        break;
    default:
        break;
    }
}

void start_mqtt(void)
{
    const esp_mqtt_client_config_t config = {
        .broker.address.uri = "mqtts://muster.example.com:8883",
        .broker.verification.certificate = ca_pem,
        .credentials.client_id = DEVICE_ID,
        .credentials.authentication = {.certificate = fullchain_pem, .key = key_pem},
        .session.protocol_ver = MQTT_PROTOCOL_V_5,
        .session.disable_clean_session = true, // commands wait while the device is away
        .session.keepalive = 60,
    };
    const esp_mqtt5_connection_property_config_t properties = {
        .session_expiry_interval = 7 * 86400,
        .receive_maximum = 8,
        .maximum_packet_size = 4096,
    };
    esp_mqtt_client_handle_t client = esp_mqtt_client_init(&config);
    esp_mqtt5_client_set_connect_property(client, &properties);
    esp_mqtt_client_register_event(client, ESP_EVENT_ANY_ID, on_event, NULL);
    esp_mqtt_client_start(client);
}
