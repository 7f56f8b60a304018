# Evaluates flake.nix with as much of nixpkgs as it uses, and gives what it would build on x86_64 Linux.
root:
let
  lib = {
    genAttrs = names: value: builtins.listToAttrs (map (name: { inherit name; value = value name; }) names);
    licenses.asl20 = "Apache-2.0";
  };
  pkgs = { rustPlatform.buildRustPackage = asked: asked; installShellFiles = "installShellFiles"; inherit lib; };
  nixpkgs = { inherit lib; legacyPackages = lib.genAttrs [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ] (system: pkgs); };
  made = (import (root + "/flake.nix")).outputs { self = "sources"; inherit nixpkgs; };
  built = made.packages.x86_64-linux.default;
in
"${built.pname} ${built.version} ${built.meta.homepage} ${built.meta.license} of ${built.src} for ${toString (builtins.attrNames made.packages)}"
