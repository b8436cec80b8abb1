{{/* {root, who, place}: the rules of the generated rights that these values need, for `operator` or `cleanup`, as a list. */}}
{{- define "holdfast.rules" -}}
{{- $root := .root -}}
{{- $wanted := .place -}}
{{- $whole := eq $root.Values.installScope "cluster" -}}
{{- $holds := dict
  "cluster" $whole
  "namespaced" (not $whole)
  "clusterReads" (or $whole $root.Values.rbac.clusterReads)
  "lending" $root.Values.lendSecrets.enabled
  "pausingGitOps" $root.Values.pauseGitOps.enabled
  "webhooks" $root.Values.webhook.enabled
  "ownAccounts" (empty $root.Values.mover.serviceAccountName)
  "volsync" (eq $root.Values.plumber.output "volsync")
  "adopting" (eq $root.Values.crds.foreign "adopt")
  "removingCrds" (ne (include "holdfast.removesCrds" $root) "")
  "ownCertificates" (eq (include "holdfast.certificates" $root) "own")
-}}
{{- $rights := $root.Files.Get "files/rights.yaml" | fromYaml -}}
{{- $all := get $rights .who -}}
{{- $operator := eq .who "operator" -}}
{{- range include "holdfast.apis" $root | fromYamlArray -}}
{{- $all = concat $all (get $rights (ternary . (printf "%sCleanup" .) $operator)) -}}
{{- end -}}
{{- $more := ternary $root.Values.rbac.extraRules list $operator -}}
{{- $given := list -}}
{{- range $all -}}
{{- $needed := true -}}
{{- range .when -}}{{- if not (get $holds .) -}}{{- $needed = false -}}{{- end -}}{{- end -}}
{{- $place := .place -}}
{{- if eq $place "watched" -}}{{- $place = ternary "cluster" "home" $whole -}}{{- end -}}
{{- if and $needed (eq $place $wanted) -}}
{{- $given = append $given (omit . "place" "when") -}}
{{- end -}}
{{- end -}}
{{- if eq $wanted (ternary "cluster" "home" $whole) -}}
{{- $given = concat $given $more -}}
{{- end -}}
{{- $given | toYaml | replace "{namespace}" $root.Release.Namespace -}}
{{- end -}}

{{/* {root, who, name, clusterName, serviceAccount, annotations}: roles with these rules, bound to an account. */}}
{{- define "holdfast.roles" -}}
{{- $root := .root -}}
{{- $namespace := $root.Release.Namespace -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: {{ .clusterName }}
  labels: {{- include "holdfast.labels" $root | nindent 4 }}
  {{- with .annotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
rules: {{- include "holdfast.rules" (dict "root" $root "who" .who "place" "cluster") | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: {{ .clusterName }}
  labels: {{- include "holdfast.labels" $root | nindent 4 }}
  {{- with .annotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: {{ .clusterName }}
subjects:
  - kind: ServiceAccount
    name: {{ .serviceAccount }}
    namespace: {{ $namespace }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: {{ .name }}
  namespace: {{ $namespace }}
  labels: {{- include "holdfast.labels" $root | nindent 4 }}
  {{- with .annotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
rules: {{- include "holdfast.rules" (dict "root" $root "who" .who "place" "home") | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: {{ .name }}
  namespace: {{ $namespace }}
  labels: {{- include "holdfast.labels" $root | nindent 4 }}
  {{- with .annotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: {{ .name }}
subjects:
  - kind: ServiceAccount
    name: {{ .serviceAccount }}
    namespace: {{ $namespace }}
{{- end -}}
