import { CoreV1Api, KubeConfig, makeInformer } from "@kubernetes/client-node";
import { Tally, task } from "./follow.ts";

const { kubeconfig, namespace, objects } = task();
const tally = new Tally(objects);
const config = new KubeConfig();
config.loadFromFile(kubeconfig);
const api = config.makeApiClient(CoreV1Api);
const labelSelector = "bench=yes";
const informer = makeInformer(
  config,
  `/api/v1/namespaces/${namespace}/pods`,
  () => api.listNamespacedPod({ namespace, labelSelector }),
  labelSelector,
);
informer.on("add", () => tally.added());
informer.on("update", () => tally.updated());
informer.on("error", () => void informer.start());
await informer.start();
