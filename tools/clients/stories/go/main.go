// Command story is the story of an integrator with the clients of oapi-codegen: from a claim to a ticket.
//
// Environment: BASE_URL, API_KEY, CA_FILE. It prints one line of JSON.
package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"time"

	"muster.example/story/device"
	"muster.example/story/public"

	mqtt "github.com/eclipse/paho.mqtt.golang"
)

const patience = 20 * time.Second

func main() {
	log.SetFlags(0)
	ctx, cancel := context.WithTimeout(context.Background(), 3*patience)
	defer cancel()
	web := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted(read(os.Getenv("CA_FILE")))}}}
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("X-API-Key", os.Getenv("API_KEY"))
		return nil
	}
	api, err := public.NewClientWithResponses(os.Getenv("BASE_URL"), public.WithHTTPClient(web), public.WithRequestEditorFn(withKey))
	check(err)
	provisioning, err := device.NewClientWithResponses(os.Getenv("BASE_URL"), device.WithHTTPClient(web))
	check(err)

	code := makeClaim(ctx, api)
	key, enrolled := enroll(ctx, provisioning, code)
	client := connect(enrolled, key)
	defer client.Disconnect(250)
	command(ctx, api, client, enrolled)
	ticket := fault(ctx, api, client, enrolled)
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{"device": enrolled.DeviceId, "ticket": ticket}))
}

// makeClaim creates a device type with a rule, and a claim for one device.
func makeClaim(ctx context.Context, api *public.ClientWithResponses) string {
	var limit public.RuleLimitCreate
	check(limit.FromNumberValue(90))
	pack, err := api.CreateThresholdWithResponse(ctx, nil, public.ThresholdCreate{
		Name: "Bearings (Go)",
		Rules: []public.ThresholdRuleCreate{{
			Metric: "temperature", Operator: public.OPERATORGT, Value: limit, Severity: public.SEVERITYMAJOR,
		}},
	})
	check(err)
	made(pack.JSON201 != nil, pack.Body)
	kind, err := api.CreateDeviceTypeWithResponse(ctx, nil, public.DeviceTypeCreate{
		Name:            "Pump (Go)",
		PublishTopics:   []string{"telemetry/{deviceId}"},
		SubscribeTopics: &[]string{"commands/{deviceId}"},
		ThresholdIds:    &[]string{pack.JSON201.Id},
	})
	check(err)
	made(kind.JSON201 != nil, kind.Body)
	claim, err := api.CreateClaimWithResponse(ctx, nil, public.ClaimCreate{
		IntendedName: "Pump (Go)", IntendedDeviceTypeId: &kind.JSON201.Id,
	})
	check(err)
	made(claim.JSON201 != nil, claim.Body)
	return claim.JSON201.ClaimCode
}

// enroll makes the key of the device and redeems the code.
func enroll(ctx context.Context, provisioning *device.ClientWithResponses, code string) (*ecdsa.PrivateKey, *device.Enrollment) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	request, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{}, key)
	check(err)
	answer, err := provisioning.RedeemClaimWithResponse(ctx, device.Redemption{
		ClaimCode:           code,
		HardwareFingerprint: "SN-go",
		HardwareModel:       "Pump 3000",
		AgentVersion:        "1.0",
		Csr:                 string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: request})),
	})
	check(err)
	made(answer.JSON200 != nil, answer.Body)
	return key, answer.JSON200
}

// connect opens an MQTT connection with the certificate of the device.
func connect(enrolled *device.Enrollment, key *ecdsa.PrivateKey) mqtt.Client {
	certificate := tls.Certificate{PrivateKey: key}
	rest := []byte(enrolled.Mqtt.ClientCert + enrolled.Mqtt.ClientCertChain)
	for block, rest := pem.Decode(rest); block != nil; block, rest = pem.Decode(rest) {
		certificate.Certificate = append(certificate.Certificate, block.Bytes)
	}
	address, err := url.Parse(enrolled.Mqtt.BrokerUrl)
	check(err)
	options := mqtt.NewClientOptions().
		AddBroker("ssl://" + address.Host).
		SetClientID(enrolled.DeviceId).
		SetTLSConfig(&tls.Config{
			RootCAs: trusted([]byte(enrolled.Mqtt.ServerCaBundle)), Certificates: []tls.Certificate{certificate},
		})
	client := mqtt.NewClient(options)
	done(client.Connect())
	return client
}

// command sends a command, which the device gets and acknowledges.
func command(ctx context.Context, api *public.ClientWithResponses, client mqtt.Client, enrolled *device.Enrollment) {
	topic := (*enrolled.Mqtt.SubscribeTopics)[0]
	received := make(chan string, 1)
	done(client.Subscribe(topic, 1, func(_ mqtt.Client, message mqtt.Message) { received <- string(message.Payload()) }))
	const payload = `{"valve":"open"}`
	once := public.IdempotencyKey("command-go")
	params := &public.CreateCommandParams{IdempotencyKey: &once}
	sent, err := api.CreateCommandWithResponse(ctx, enrolled.DeviceId, params, public.CommandCreate{Topic: topic, Payload: payload})
	check(err)
	made(sent.JSON201 != nil, sent.Body)
	select {
	case text := <-received:
		made(text == payload, []byte(text))
	case <-time.After(patience):
		log.Fatal("the command did not come")
	}
	until(func() bool {
		state, err := api.GetCommandWithResponse(ctx, enrolled.DeviceId, sent.JSON201.Id)
		check(err)
		made(state.JSON200 != nil, state.Body)
		return state.JSON200.State == "acknowledged"
	})
}

// fault publishes a reading over the limit, and acknowledges its anomaly with a ticket, whose number it returns.
func fault(ctx context.Context, api *public.ClientWithResponses, client mqtt.Client, enrolled *device.Enrollment) int {
	done(client.Publish(enrolled.Mqtt.PublishTopics[0], 1, false, `{"temperature": 95}`))
	var anomaly public.Anomaly
	until(func() bool {
		page, err := api.ListAnomaliesWithResponse(ctx, &public.ListAnomaliesParams{DeviceId: &enrolled.DeviceId})
		check(err)
		made(page.JSON200 != nil, page.Body)
		if len(page.JSON200.Items) > 0 {
			anomaly = page.JSON200.Items[0]
		}
		return len(page.JSON200.Items) > 0
	})
	value, err := anomaly.Value.AsNumberValue()
	check(err)
	made(value == 95 && anomaly.Severity == public.SEVERITYMAJOR, []byte(anomaly.Message))
	comment := "On my way"
	acknowledged, err := api.AcknowledgeAnomalyWithResponse(ctx, anomaly.Id, nil, public.AcknowledgementCreate{Comment: &comment})
	check(err)
	made(acknowledged.JSON200 != nil, acknowledged.Body)
	ticket, err := api.OpenTicketWithResponse(ctx, nil, public.TicketCreate{Title: "Replace the bearing", AnomalyId: &anomaly.Id})
	check(err)
	made(ticket.JSON201 != nil, ticket.Body)
	return ticket.JSON201.Number
}

func until(check func() bool) {
	for deadline := time.Now().Add(patience); !check(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			log.Fatal("nothing came in time")
		}
	}
}

func trusted(bundle []byte) *x509.CertPool {
	pool := x509.NewCertPool()
	made(pool.AppendCertsFromPEM(bundle), bundle)
	return pool
}

func read(file string) []byte {
	content, err := os.ReadFile(file)
	check(err)
	return content
}

func done(token mqtt.Token) {
	made(token.WaitTimeout(patience), []byte("no answer from the broker"))
	check(token.Error())
}

func made(right bool, body []byte) {
	if !right {
		log.Fatal(fmt.Sprintf("unexpected: %s", body))
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
