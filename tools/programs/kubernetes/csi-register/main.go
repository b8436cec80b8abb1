// csi-register announces a CSI driver's socket to the kubelet, as node-driver-registrar does.
//
// Usage: csi-register DRIVER CSI_SOCKET REGISTRATION_SOCKET
package main

import (
	"context"
	"log"
	"net"
	"os"

	"google.golang.org/grpc"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

type driver struct {
	registration.UnimplementedRegistrationServer
	name, endpoint string
}

func (d driver) GetInfo(context.Context, *registration.InfoRequest) (*registration.PluginInfo, error) {
	return &registration.PluginInfo{
		Type:              registration.CSIPlugin,
		Name:              d.name,
		Endpoint:          d.endpoint,
		SupportedVersions: []string{"1.0.0"},
	}, nil
}

func (d driver) NotifyRegistrationStatus(_ context.Context, status *registration.RegistrationStatus) (*registration.RegistrationStatusResponse, error) {
	if status.PluginRegistered {
		log.Printf("%s is registered", d.name)
	} else {
		log.Printf("the kubelet refused %s: %s", d.name, status.Error)
	}
	return &registration.RegistrationStatusResponse{}, nil
}

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: csi-register DRIVER CSI_SOCKET REGISTRATION_SOCKET")
	}
	socket := os.Args[3]
	if err := os.Remove(socket); err != nil && !os.IsNotExist(err) {
		log.Fatal(err)
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer()
	registration.RegisterRegistrationServer(server, driver{name: os.Args[1], endpoint: os.Args[2]})
	log.Fatal(server.Serve(listener))
}
