package argocd

// All that is used of the sync engine, in one file: from Argo CD 3.4 on its import path is another
// one, and engine-3.5.go.txt, which differs in that alone, stands in for this file.

import (
	"github.com/argoproj/gitops-engine/pkg/health"
	"github.com/argoproj/gitops-engine/pkg/sync/common"
	"github.com/argoproj/gitops-engine/pkg/sync/hook"
	"github.com/argoproj/gitops-engine/pkg/sync/ignore"
	"github.com/argoproj/gitops-engine/pkg/sync/resource"
	"github.com/argoproj/gitops-engine/pkg/sync/syncwaves"
	"github.com/argoproj/gitops-engine/pkg/utils/kube"
)

var (
	getHealthCheck    = health.GetHealthCheckFunc
	splitYAML         = kube.SplitYAML
	splitYAMLToString = kube.SplitYAMLToString
	isHook            = hook.IsHook
	skip              = hook.Skip
	hookTypes         = hook.Types
	deletePolicies    = hook.DeletePolicies
	ignored           = ignore.Ignore
	wave              = syncwaves.Wave
	annotationCSVs    = resource.GetAnnotationCSVs
)

const syncOptions = common.AnnotationSyncOptions
