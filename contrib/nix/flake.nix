# linerate for Nix, built from a tag:
#
#   nix run 'git+https://github.com/linerate/linerate?ref=refs/tags/v0.1.0&dir=contrib/nix' -- measure
#
# `serve` as a service: import nixosModules.default and set services.linerate.keyFile.
{
  description = "How close to line rate is a path at every message size, and what is in the way?";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" ];
      each = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in
    {
      packages = each (pkgs: rec {
        linerate = pkgs.rustPlatform.buildRustPackage {
          pname = "linerate";
          version = "0.1.0";
          # The flake lies two folders below the sources.
          src = ../..;
          cargoLock.lockFile = ../../Cargo.lock;
          cargoBuildFlags = [ "--package" "linerate" "--bin" "linerate" ];
          buildFeatures = [ "xdp" "bpf" "postgres" ];
          # The wrapped one adds flags that its target bpf does not know.
          CLANG = "${pkgs.llvmPackages.clang-unwrapped}/bin/clang";
          nativeBuildInputs = [ pkgs.installShellFiles ];
          # They want a network of their own, other programs and a quiet host: ./check runs them.
          doCheck = false;
          postInstall = ''
            $out/bin/linerate man --folder man
            $out/bin/linerate completions --folder completions
            installManPage man/*.1
            installShellCompletion completions/{linerate.bash,linerate.fish,_linerate}
          '';
          meta = {
            description = "Measures network paths at every message size, and says what is in the way";
            homepage = "https://github.com/linerate/linerate";
            license = with pkgs.lib.licenses; [ mit asl20 ];
            mainProgram = "linerate";
            platforms = systems;
          };
        };
        default = linerate;
      });

      nixosModules.default = { config, lib, pkgs, ... }:
        let cfg = config.services.linerate; in
        {
          options.services.linerate.keyFile = lib.mkOption {
            type = lib.types.nullOr lib.types.path;
            default = null;
            description = "File with the key of `linerate serve`. Without it there is no server.";
          };
          config = lib.mkIf (cfg.keyFile != null) {
            systemd.services.linerate = {
              description = "linerate measurement server";
              wantedBy = [ "multi-user.target" ];
              wants = [ "network-online.target" ];
              after = [ "network-online.target" ];
              serviceConfig = {
                Type = "notify";
                ExecStart = "${self.packages.${pkgs.system}.linerate}/bin/linerate serve --key-file %d/key";
                LoadCredential = "key:${cfg.keyFile}";
                DynamicUser = true;
                PrivateUsers = true;
                CapabilityBoundingSet = "";
                ProtectSystem = "strict";
                ProtectHome = true;
                PrivateDevices = true;
                ProtectKernelTunables = true;
                RestrictAddressFamilies = [ "AF_INET" "AF_INET6" "AF_UNIX" "AF_NETLINK" ];
                RestrictNamespaces = true;
                MemoryDenyWriteExecute = true;
                SystemCallFilter = [ "@system-service" "io_uring_setup io_uring_enter io_uring_register memfd_create" ];
                LimitNOFILE = 65536;
                Restart = "on-failure";
              };
            };
          };
        };
    };
}
