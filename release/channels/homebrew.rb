# Formula/argocd-jobs.rb of a tap.
class ArgocdJobs < Formula
  desc "Make Kubernetes Jobs under Argo CD safe to change in Git"
  homepage "@repository@"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "@repository@/releases/download/v@version@/argocd-jobs-@version@-aarch64-apple-darwin.tar.gz"
      sha256 "@sha256 aarch64-apple-darwin@"
    end
    on_intel do
      url "@repository@/releases/download/v@version@/argocd-jobs-@version@-x86_64-apple-darwin.tar.gz"
      sha256 "@sha256 x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "@repository@/releases/download/v@version@/argocd-jobs-@version@-aarch64-unknown-linux-gnu.tar.gz"
      sha256 "@sha256 aarch64-unknown-linux-gnu@"
    end
    on_intel do
      url "@repository@/releases/download/v@version@/argocd-jobs-@version@-x86_64-unknown-linux-gnu.tar.gz"
      sha256 "@sha256 x86_64-unknown-linux-gnu@"
    end
  end

  def install
    bin.install "argocd-jobs"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/argocd-jobs.bash" => "argocd-jobs"
    fish_completion.install "completions/argocd-jobs.fish"
    zsh_completion.install "completions/_argocd-jobs"
  end

  test do
    (testpath/"job.yaml").write <<~YAML
      apiVersion: batch/v1
      kind: Job
      metadata:
        name: migrate
        annotations:
          argocd.argoproj.io/hook: presync
      spec:
        template:
          spec:
            restartPolicy: Never
            containers:
              - name: migrate
                image: shop:1.4.2
    YAML
    assert_match "error[unknown-hook]", shell_output("#{bin}/argocd-jobs check #{testpath}/job.yaml", 1)
  end
end
