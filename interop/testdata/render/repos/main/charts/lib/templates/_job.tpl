{{- define "lib.job" -}}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-lib
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: lib, image: "{{ .Values.image }}"}]
{{- end }}
