package main

import (
	"math/rand"
	"strings"
)

type textRow struct {
	In    string `json:"in"`
	Out   string `json:"out"`
	Error string `json:"error,omitempty"`
}

func substitutions(random *rand.Rand, count int) []any {
	texts := []string{
		"", "plain", "$", "$$", "$$$", "$$$$", "$$HOME", "$ARGOCD_APP_NAME", "${ARGOCD_APP_NAME}", "$ARGOCD_APP_NAMESPACE",
		"$ARGOCD_APP_PROJECT_NAME", "$ARGOCD_APP_REVISION", "$ARGOCD_APP_REVISION_SHORT", "$ARGOCD_APP_REVISION_SHORT_8",
		"$ARGOCD_APP_SOURCE_REPO_URL", "$ARGOCD_APP_SOURCE_PATH", "$ARGOCD_APP_SOURCE_TARGET_REVISION", "$KUBE_VERSION",
		"${KUBE_API_VERSIONS}", "$PATH", "$HOME", "$UNKNOWN", "${UNKNOWN}x", "${ARGOCD_APP_NAME", "${", "${}", "${}x", "x${", "${ARGOCD_APP_NAME:-y}",
		"${$}", "${$ARGOCD_APP_NAME}", "$ARGOCD_APP_NAME.yaml", "$ARGOCD_APP_NAME_x", "$ARGOCD_APP_NAME-x", "$/x", "$ x", "x$", "$12", "$1$2", "$*", "$#",
		"$@", "$!", "$?", "$-", "$0a", "${1}", "${*}", "${$}x", "${12}", "a$b$c", "$ä", "ä$ARGOCD_APP_NAMEä", "${ä}", "$$ARGOCD_APP_NAME", "$${ARGOCD_APP_NAME}",
		"$$$ARGOCD_APP_NAME", "\\$ARGOCD_APP_NAME", "{$ARGOCD_APP_NAME,b}", "${ARGOCD_APP_NAME}}", "${{ARGOCD_APP_NAME}}", "$argocd_app_name",
		"${ ARGOCD_APP_NAME }", "${-}", "${-x}", "${#}", "${@}a", "$_", "${_}", "$\n", "${a\nb}", "${*x}", "${!", "${}}", "$(ARGOCD_APP_NAME)", "$%", "$ARGOCD_APP_NAME$",
	}
	pool := []string{"$", "{", "}", "ARGOCD_APP_NAME", "ARGOCD_APP_NAMESPACE", "_SHORT", "a", "/", "-", "1", "ä", " ", "$$", "${", "ARGOCD_APP_REVISION"}
	for range count {
		var text strings.Builder
		for range 1 + random.Intn(7) {
			text.WriteString(pool[random.Intn(len(pool))])
		}
		texts = append(texts, text.String())
	}
	rows := []any{env}
	for _, text := range texts {
		rows = append(rows, textRow{In: text, Out: env.Envsubst(text)})
	}
	return rows
}

func kubeVersions() []any {
	var rows []any
	for _, text := range []string{
		"", "1", "1.", "1.34", "v1.34", "V1.34", "vv1.34", "1.34.2", "v1.34.2", "1.34.2+k3s1", "v1.34.2-gke.100+abc", "1.34.2-rc.1", "1.34+", "1.34.", "1.34.2.", "1.34.2.3",
		"1.34.x", "1.34x", "x", "1.x", "01.34", "1.034", "1.34.05", "0.1", "00.1", "0", " 1.34 ", "\n1.34", "1.34\n", "1.34\nx", "\t v1.34.2", "v 1.34", "-1.34", "1..34", ".1.34",
		"1.34 2", "18446744073709551615.1", "18446744073709551616.1", "1.18446744073709551616", "1.99999999999999999999999", "١.٣٤", "1.34.2ä", "1,34", "1.34,2", "null",
		"1.34.2+", "v1.34.2-eks-1-2a3b", "v1.33.4-aliyun.1", "v1.32.1+rke2r1", "1.34.2\u00a0", "\u00a01.34", "\v1.34", "\f1.34", "\r1.34", "1.34\r", "1.34\r\n", "v", "1.34.2\x00",
	} {
		out, err := parseKubeVersion(text)
		row := textRow{In: text, Out: out}
		if err != nil {
			row.Error = err.Error()
		}
		rows = append(rows, row)
	}
	return rows
}

func setValues() []any {
	var rows []any
	for _, text := range []string{
		"", ",", ",,", "a,b", "a\\,b", "{a,b}", "{a,b", "a,b}", "a\\\\,b", "a\\\\\\,b", "{", "}", "{}", "{,}", "{\\,}", "{a,b},c", "c,{a,b}", " {a,b}", "{a,b} ", "a,b,c", "a\\,b,c",
		",a", "a,", "\\,", "\\", "\\\\", "ä,ö", "a,\nb", "a=b,c=d", "{a,{b,c}}", "{}{,}", "},{", "a,,b", "a\\,,b", "\\,\\,", "\u2028,", "{ä,ö}", "{,", "[a,b]", "\"a,b\"", "'a,b'", "x\x00,y",
		"\ufffd,", "$a,b",
	} {
		rows = append(rows, textRow{In: text, Out: cleanSetParameters(text)})
	}
	return rows
}
