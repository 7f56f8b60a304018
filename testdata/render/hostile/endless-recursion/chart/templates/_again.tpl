{{- define "again" }}{{ tpl .Values.again . }}{{ end }}
