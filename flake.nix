# `nix run github:<owner>/<repository>/v<version> -- check .` builds the program from its sources.
{
  description = "Argo CD plugin and linter that make Kubernetes Jobs safe to change in Git";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      cargo = builtins.fromTOML (builtins.readFile ./Cargo.toml);
      shared = cargo.workspace.package;
      built = pkgs: pkgs.rustPlatform.buildRustPackage {
        pname = cargo.package.name;
        version = shared.version;
        src = self;
        cargoLock.lockFile = ./Cargo.lock;
        # The tests need git and what is not built.
        doCheck = false;
        buildType = "release-lto";
        nativeBuildInputs = [ pkgs.installShellFiles ];
        postInstall = ''
          for shell in bash fish zsh; do $out/bin/argocd-jobs completions $shell >argocd-jobs.$shell; done
          installShellCompletion argocd-jobs.{bash,fish,zsh}
        '';
        meta = {
          description = cargo.package.description;
          homepage = shared.repository;
          license = pkgs.lib.licenses.asl20;
          mainProgram = cargo.package.name;
        };
      };
    in
    {
      packages = nixpkgs.lib.genAttrs
        [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ]
        (system: { default = built nixpkgs.legacyPackages.${system}; });
    };
}
