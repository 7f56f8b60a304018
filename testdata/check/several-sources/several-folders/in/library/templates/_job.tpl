{{- define "job" }}{{ end }}
