package main

import "github.com/argoproj/argo-cd/v3/util/git"

// What Go cannot parse or has to escape is not among them: Argo CD compares the first as it is.
var someURLs = []string{
	"https://github.com/argoproj/argo-cd", "https://github.com/argoproj/argo-cd.git", "https://github.com/argoproj/argo-cd/", "https://github.com/argoproj/argo-cd.git/",
	"https://GitHub.com/ArgoProj/Argo-CD.git", "HTTPS://github.com/argoproj/argo-cd", "http://github.com/argoproj/argo-cd.git", " https://github.com/argoproj/argo-cd.git\n",
	"git@github.com:argoproj/argo-cd.git", "git@github.com:argoproj/argo-cd", "GIT@GitHub.com:argoproj/argo-cd.git", "ssh://git@github.com/argoproj/argo-cd.git", "ssh://git@github.com:22/argoproj/argo-cd.git",
	"ssh://github.com/argoproj/argo-cd.git", "git@github.com/argoproj/argo-cd", "git@ssh.dev.azure.com:v3/org/project/repo", "https://org@dev.azure.com/org/project/_git/repo",
	"https://user:password@git.example.com/a/b.git", "https://token@git.example.com/a/b", "https://git.example.com:8443/a/b.git", "ssh://git@git.example.com:7999/a/b.git",
	"git@git.example.com:7999/a/b.git", "org-123@github.com:a/b.git", "git.example.com:a/b", "git://git.example.com/a/b.git", "file:///srv/git/a.git", "/srv/git/a.git", "./a.git",
	"a", "oci://registry.example.com/a/b", "oci://registry.example.com/a/b.git", "registry.example.com/a/b", "https://git.example.com/a/b?ref=c", "https://git.example.com/a/b.git?ref=c.git",
	"https://git.example.com/a%20b.git", "https://git-codecommit.eu-west-1.amazonaws.com/v1/repos/shop", "codecommit::eu-west-1://shop", "https://git.example.com/a/b.git.git", "https://git.example.com/.git", "@a", "a@",
}

func urls() []any {
	var rows []any
	for _, in := range someURLs {
		rows = append(rows, textRow{In: in, Out: git.NormalizeGitURLAllowInvalid(in)})
	}
	return rows
}
