{{- define "holdfast.name" -}}
{{- if contains "holdfast" .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-holdfast" .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* What has no namespace: two releases of one name must not share it. */}}
{{- define "holdfast.clusterName" -}}
{{- if eq .Values.installScope "cluster" -}}
{{- include "holdfast.name" . -}}
{{- else -}}
{{- printf "%s-%s" (include "holdfast.name" .) .Release.Namespace -}}
{{- end -}}
{{- end -}}

{{- define "holdfast.selector" -}}
app.kubernetes.io/name: holdfast
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "holdfast.labels" -}}
{{ include "holdfast.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: holdfast
helm.sh/chart: {{ printf "%s-%s" .Chart.Name (.Chart.Version | replace "+" "_") }}
{{- end -}}

{{- define "holdfast.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (include "holdfast.name" .) -}}
{{- end -}}

{{/* Of the Job that lets go of everything after an uninstall. */}}
{{- define "holdfast.cleanupAccount" -}}
{{- printf "%s-cleanup" (include "holdfast.name" .) -}}
{{- end -}}

{{/* Not empty where the CRDs go with the release. */}}
{{- define "holdfast.removesCrds" -}}
{{- if and .Values.installCRDs (not .Values.crds.keep) -}}yes{{- end -}}
{{- end -}}

{{/* {root, image}: its name for a pod. */}}
{{- define "holdfast.image" -}}
{{- $registry := .root.Values.image.registry -}}
{{- $name := ternary (printf "%s/%s" ($registry | trimSuffix "/") .image.repository) .image.repository (ne $registry "") -}}
{{- if .image.digest -}}
{{- printf "%s@%s" $name .image.digest -}}
{{- else -}}
{{- printf "%s:%s" $name (.image.tag | default .root.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{/* Who makes the certificates of the webhooks: own, cert-manager, or hand. */}}
{{- define "holdfast.certificates" -}}
{{- if .Values.webhook.certManager.enabled -}}cert-manager
{{- else if .Values.webhook.tls.secretName -}}hand
{{- else -}}own
{{- end -}}
{{- end -}}

{{- define "holdfast.certificateSecret" -}}
{{- if eq (include "holdfast.certificates" .) "hand" -}}
{{- .Values.webhook.tls.secretName -}}
{{- else -}}
{{- printf "%s-webhook-tls" (include "holdfast.name" .) -}}
{{- end -}}
{{- end -}}

{{/* {root, api}: as a list, the CRDs of an API that are there and do not belong to this release. With installCRDs=false
those that no release has marked were applied by hand, as they are to be. */}}
{{- define "holdfast.foreignCrds" -}}
{{- $root := .root -}}
{{- $own := printf "%s/%s" $root.Release.Namespace $root.Release.Name -}}
{{- $foreign := list -}}
{{- range $path, $_ := $root.Files.Glob (printf "files/crds/%s/*.yaml" .api) -}}
{{- $name := base $path | trimSuffix ".yaml" -}}
{{- $crd := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" $name -}}
{{- if $crd -}}
{{- $marks := $crd.metadata.annotations | default dict -}}
{{- $owner := printf "%s/%s" (get $marks "meta.helm.sh/release-namespace") (get $marks "meta.helm.sh/release-name") -}}
{{- if and (ne $owner $own) (or $root.Values.installCRDs (ne $owner "/")) -}}
{{- $foreign = append $foreign $name -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $foreign | toYaml -}}
{{- end -}}

{{/* As a list, the APIs that are served. */}}
{{- define "holdfast.apis" -}}
{{- $root := . -}}
{{- $apis := list -}}
{{- range $api, $choice := .Values.apis -}}
{{- if $choice.enabled -}}
{{- $foreign := include "holdfast.foreignCrds" (dict "root" $root "api" $api) | fromYamlArray -}}
{{- if and $foreign (eq $root.Values.crds.foreign "stop") -}}
{{- fail (printf "\n\nThe API %s is not installed: %s exist already and belong to somebody else, so they are not touched. Remove what they belong to, or set crds.foreign to skip to do without this API, or to adopt to work with these CRDs as they are: see `CRDs of somebody else` in docs/guides/install.md. If they are left from another release of this chart, see `CRDs of an earlier release` in docs/guides/install.md." $api (join ", " $foreign)) -}}
{{- end -}}
{{- if or (not $foreign) (eq $root.Values.crds.foreign "adopt") -}}
{{- $apis = append $apis $api -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if not (has "kopiur" $apis) -}}{{- $apis = without $apis "plumber" "cozystack" -}}{{- end -}}
{{- $apis | toYaml -}}
{{- end -}}

{{/* As JSON, what is set for each API that is served. */}}
{{- define "holdfast.apiSettings" -}}
{{- $settings := dict -}}
{{- $values := .Values -}}
{{- $apis := include "holdfast.apis" . | fromYamlArray -}}
{{- range $api := list "plumber" "velero" -}}
{{- if has $api $apis -}}
{{- $given := dict -}}
{{- range $name, $value := omit (get $values $api) "nodeAgent" -}}{{- if not (kindIs "invalid" $value) -}}{{- $_ := set $given $name $value -}}{{- end -}}{{- end -}}
{{- $_ := set $settings $api $given -}}
{{- end -}}
{{- end -}}
{{- $settings | toJson -}}
{{- end -}}

{{/* Not empty where the pods are to be scraped: they serve the webhooks, too. */}}
{{- define "holdfast.serviceMonitor" -}}
{{- if or .Values.metrics.serviceMonitor.enabled .Values.webhook.serviceMonitor.enabled -}}yes{{- end -}}
{{- end -}}

{{/* Not empty where the release looks at all namespaces now. Nothing can be looked up with helm template. */}}
{{- define "holdfast.wasWide" -}}
{{- $deployment := lookup "apps/v1" "Deployment" .Release.Namespace (include "holdfast.name" .) -}}
{{- range dig "spec" "template" "spec" "containers" list $deployment -}}
{{- $only := false -}}
{{- range .env -}}{{- if eq .name "HOLDFAST_NAMESPACE" -}}{{- $only = true -}}{{- end -}}{{- end -}}
{{- if and (eq .name "operator") (not $only) -}}yes{{- end -}}
{{- end -}}
{{- end -}}

{{/* Stops on values that contradict each other. */}}
{{- define "holdfast.check" -}}
{{- $values := .Values -}}
{{- if and .Release.IsUpgrade (eq $values.installScope "namespaced") (include "holdfast.wasWide" .) -}}
{{- fail "\n\ninstallScope is namespaced, and until now this release has looked at all namespaces: nobody would take its finalizers off the objects of the others any more, and these could not be deleted. If you did not mean to change it, add --reset-then-reuse-values, or set installScope to cluster. If you did, uninstall the release first, which lets go of all of them, and install it again." -}}
{{- end -}}
{{- $some := false -}}
{{- range $_, $choice := $values.apis -}}{{- if $choice.enabled -}}{{- $some = true -}}{{- end -}}{{- end -}}
{{- if not $some -}}
{{- fail "\n\nNo API is enabled, so there would be nothing to do: set apis.kopiur.enabled to true." -}}
{{- end -}}
{{- range $api, $why := dict "plumber" "the objects that it makes for PVCs" "cozystack" "the Backups and Restores of its Volume driver" -}}
{{- if and (get $values.apis $api).enabled (not $values.apis.kopiur.enabled) -}}
{{- fail (printf "\n\napis.%s is enabled, and apis.kopiur is not: %s are those of kopiur. Set apis.kopiur.enabled to true." $api $why) -}}
{{- end -}}
{{- end -}}
{{- range $api, $why := dict "plumber" "labels protect PVCs of all namespaces" "cozystack" "BackupClasses and strategies have no namespace" "velero" "the pods of its backups are in all namespaces" -}}
{{- if and (get $values.apis $api).enabled (ne $values.installScope "cluster") -}}
{{- fail (printf "\n\napis.%s is enabled, and installScope is namespaced: %s. Set installScope to cluster." $api $why) -}}
{{- end -}}
{{- end -}}
{{- if and $values.apis.plumber.enabled (not $values.webhook.enabled) -}}
{{- fail "\n\napis.plumber is enabled, and the webhooks are not: nothing would keep a PVC with a backup from starting empty. Set webhook.enabled to true." -}}
{{- end -}}
{{- if and $values.crds.previousControllerStoppedAt (ne $values.crds.foreign "adopt") -}}
{{- fail "\n\ncrds.previousControllerStoppedAt is set, and crds.foreign is not adopt: it says something of CRDs that are adopted only." -}}
{{- end -}}
{{- with $values.crds.previousControllerStoppedAt -}}
{{- if lt (toDate "2006-01-02T15:04:05Z07:00" . | date "2006" | int) 1970 -}}
{{- fail (printf "\n\ncrds.previousControllerStoppedAt is %s, and there is no such time: write it such as 2026-01-31T18:30:00Z." .) -}}
{{- end -}}
{{- end -}}
{{- if and (eq $values.crds.foreign "adopt") $values.installCRDs (not (lookup "v1" "Namespace" "" "kube-system")) -}}
{{- fail "\n\ncrds.foreign is adopt, and this rendering cannot look into the cluster (as with helm template, or Argo CD): it would write over CRDs of somebody else. Set installCRDs to false." -}}
{{- end -}}
{{- if and (include "holdfast.removesCrds" .) (ne $values.installScope "cluster") -}}
{{- fail "\n\ncrds.keep is false, which takes the objects of all namespaces along, and with installScope=namespaced this release answers for its own alone: it could not let go of those of other namespaces before. Set installScope to cluster, or leave the CRDs and remove them yourself once nobody needs them." -}}
{{- end -}}
{{- if and (include "holdfast.removesCrds" .) (not (and $values.uninstall.cleanup $values.rbac.create)) -}}
{{- fail "\n\ncrds.keep is false, and the Job that would remove the CRDs after an uninstall needs uninstall.cleanup and rbac.create: set both to true, or leave the CRDs and remove them yourself." -}}
{{- end -}}
{{- if and $values.rbac.extraRules (not $values.rbac.create) -}}
{{- fail "\n\nrbac.extraRules is set, and rbac.create is false: nobody would be given these rules. Add them to the roles that you make." -}}
{{- end -}}
{{- if and $values.webhook.certManager.enabled $values.webhook.tls.secretName -}}
{{- fail "\n\nwebhook.certManager.enabled and webhook.tls.secretName are both set: choose who makes the certificate, cert-manager or you." -}}
{{- end -}}
{{- if and $values.webhook.tls.secretName (not $values.webhook.caBundle) -}}
{{- fail "\n\nwebhook.tls.secretName is set without webhook.caBundle: the API server would not trust that certificate. Set webhook.caBundle to its authority, PEM in base64." -}}
{{- end -}}
{{- if and $values.webhook.caBundle (not $values.webhook.tls.secretName) -}}
{{- fail "\n\nwebhook.caBundle is set without webhook.tls.secretName: name the Secret whose certificate it vouches for." -}}
{{- end -}}
{{- if and $values.webhook.caBundle (not (contains "-----BEGIN CERTIFICATE-----" ($values.webhook.caBundle | nospace | b64dec))) -}}
{{- fail "\n\nwebhook.caBundle holds no certificate in PEM: set it to the file of the authority, from -----BEGIN CERTIFICATE----- on, in base64, once." -}}
{{- end -}}
{{- if and $values.webhook.certManager.issuerRef (not $values.webhook.certManager.issuerRef.name) -}}
{{- fail "\n\nwebhook.certManager.issuerRef has no name: name the issuer, or leave issuerRef out for one of the release's own." -}}
{{- end -}}
{{- if and $values.webhook.certManager.enabled (not (.Capabilities.APIVersions.Has "cert-manager.io/v1")) -}}
{{- fail "\n\nwebhook.certManager.enabled is set, and this cluster has no cert-manager.io/v1: install cert-manager first, or leave the certificates to the operator." -}}
{{- end -}}
{{- if and $values.webhook.enabled (has (int $values.webhook.port) (list 8080 8081)) -}}
{{- fail "\n\nwebhook.port is 8080 or 8081, where the operator itself listens: choose another one." -}}
{{- end -}}
{{- if and (not $values.serviceAccount.create) (not $values.serviceAccount.name) -}}
{{- fail "\n\nserviceAccount.create is false without serviceAccount.name: the operator's rights would be those of the namespace's default account, and so of every pod there that has no other. Name an account of your own." -}}
{{- end -}}
{{- range $part := splitList "," $values.observability.otlp.headers -}}
{{- if and $values.observability.otlp.headers (not (regexMatch "^\\s*[^=\\s]+\\s*=" $part)) -}}
{{- fail "\n\nobservability.otlp.headers must be such as name=value,other=value, and a part of it has no name and =. A comma within a value is written %2C." -}}
{{- end -}}
{{- end -}}
{{- if and $values.mover.serviceAccountName $values.mover.imagePullSecrets -}}
{{- fail "\n\nmover.serviceAccountName and mover.imagePullSecrets are both set: an account of your own is not changed, so give the pull secrets to that." -}}
{{- end -}}
{{- if and $values.lendSecrets.enabled (eq $values.installScope "namespaced") -}}
{{- fail "\n\nlendSecrets.enabled lends credentials across namespaces, and with installScope=namespaced there is but one: set installScope to cluster, or leave lending off." -}}
{{- end -}}
{{- if and (include "holdfast.serviceMonitor" .) (not $values.metrics.enabled) -}}
{{- fail "\n\nmetrics.serviceMonitor.enabled needs the Service of metrics.enabled." -}}
{{- end -}}
{{- if and (include "holdfast.serviceMonitor" .) (not (.Capabilities.APIVersions.Has "monitoring.coreos.com/v1")) -}}
{{- fail "\n\nmetrics.serviceMonitor.enabled is set, and this cluster has no monitoring.coreos.com/v1: install the Prometheus operator first, or scrape the Service yourself." -}}
{{- end -}}
{{- if and $values.metrics.prometheusRule.enabled (not (.Capabilities.APIVersions.Has "monitoring.coreos.com/v1")) -}}
{{- fail "\n\nmetrics.prometheusRule.enabled is set, and this cluster has no monitoring.coreos.com/v1: install the Prometheus operator first, or give your Prometheus the chart's files/alerts.yaml." -}}
{{- end -}}
{{- with $values.console }}
{{- if and .oidc.issuer (not (and .oidc.clientID .url)) -}}
{{- fail "\n\nconsole.oidc.issuer is set without console.oidc.clientID or console.url: the issuer has to know the client, and where to send people back to." -}}
{{- end -}}
{{- end -}}
{{- if and $values.podDisruptionBudget.enabled (gt (int $values.replicas) 1) (ge (int $values.podDisruptionBudget.minAvailable) (int $values.replicas)) -}}
{{- fail "\n\npodDisruptionBudget.minAvailable is not below replicas: no node could be drained any more." -}}
{{- end -}}
{{- end -}}

{{/* A pod of the operator's image: {root, name, args}. */}}
{{- define "holdfast.container" -}}
{{- $root := .root -}}
{{- $values := $root.Values -}}
name: {{ .name }}
image: {{ include "holdfast.image" (dict "root" $root "image" $values.image.operator) }}
imagePullPolicy: {{ $values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
env:
  - name: POD_NAME
    valueFrom: {fieldRef: {fieldPath: metadata.name}}
  - name: POD_NAMESPACE
    valueFrom: {fieldRef: {fieldPath: metadata.namespace}}
  - name: HOLDFAST_APIS
    value: {{ include "holdfast.apis" $root | fromYamlArray | join "," | default "none" | quote }}
  {{- if eq $values.installScope "namespaced" }}
  - name: HOLDFAST_NAMESPACE
    valueFrom: {fieldRef: {fieldPath: metadata.namespace}}
  {{- end }}
  {{- if eq $values.crds.foreign "adopt" }}
  - name: HOLDFAST_ADOPT_CRDS
    value: "on"
  {{- with $values.crds.previousControllerStoppedAt }}
  - name: HOLDFAST_PREVIOUS_CONTROLLER_STOPPED_AT
    value: {{ . | quote }}
  {{- end }}
  {{- end }}
  - name: HOLDFAST_LOG_LEVEL
    value: {{ $values.logging.level | default $values.controller.logLevel | default "info" }}
  - name: HOLDFAST_LOG_FORMAT
    value: {{ $values.logging.format }}
{{- end -}}

{{- define "holdfast.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end -}}
