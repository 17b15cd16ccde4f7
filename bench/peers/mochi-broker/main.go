// The broker mochi as a peer of the bench: it verifies the client's chain, lets a device publish on its own topic only,
// and collects its garbage at SIGUSR2. Arguments: the TLS port, and the files of the server's chain and key and of the
// roots that clients chain up to.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	mqtt "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/listeners"
	"github.com/mochi-mqtt/server/v2/packets"
)

type ownTopic struct{ mqtt.HookBase }

func (*ownTopic) ID() string { return "own-topic" }

func (*ownTopic) Provides(b byte) bool {
	return b == mqtt.OnConnectAuthenticate || b == mqtt.OnACLCheck
}

func (*ownTopic) OnConnectAuthenticate(*mqtt.Client, packets.Packet) bool { return true }

func (*ownTopic) OnACLCheck(client *mqtt.Client, topic string, write bool) bool {
	return write && topic == "t/bench/telemetry/"+client.ID
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	port, chain, key, roots := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	clients := x509.NewCertPool()
	clients.AppendCertsFromPEM(must(os.ReadFile(roots)))
	config := &tls.Config{
		Certificates:           []tls.Certificate{must(tls.LoadX509KeyPair(chain, key))},
		ClientAuth:             tls.RequireAndVerifyClientCert,
		ClientCAs:              clients,
		SessionTicketsDisabled: true,
	}
	server := mqtt.New(&mqtt.Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	must(0, server.AddHook(&ownTopic{}, nil))
	must(0, server.AddListener(listeners.NewTCP(listeners.Config{ID: "tls", Address: "127.0.0.1:" + port, TLSConfig: config})))
	must(0, server.Serve())

	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGUSR2)
	for each := range signals {
		if each == syscall.SIGTERM {
			os.Exit(0)
		}
		debug.FreeOSMemory()
	}
}
