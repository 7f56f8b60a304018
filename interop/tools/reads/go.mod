module argocd-jobs.example/interop/tools/reads

go 1.25.5
