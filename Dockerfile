# docker build -t argocd-jobs:0.1.0 .                                  the plugin: one static binary
# docker build -t argocd-jobs:0.1.0-argocd3.6 --target with-renderers --build-arg ARGOCD_VERSION=v3.6.1 .
#                                                                         with the helm and the kustomize of that Argo CD
#
# As a sidecar of argocd-repo-server the container is started with the command /var/run/argocd/argocd-cmp-server, which is no part
# of this image: repo-server's init container `copyutil` puts it (a static binary too) into the shared volume `var-files`.
# Everything works on a read-only root file system; the only place that is written to is /tmp, a volume of the pod.

# The Argo CD whose helm and kustomize are taken. Name the version that you run, so that a chart or an overlay renders through the plugin as
# it does without it; docs/adopt.md has the table.
ARG ARGOCD_VERSION=v3.6.1

# The compiler of the releases. Not an argument: Dependabot does not update those.
FROM docker.io/library/rust:1.95-slim-bookworm AS build
WORKDIR /src
COPY . .
# Links the C library in; see .cargo/config.toml. Debian's libc6-dev, which this image has, brings it. On rust:alpine (musl) a
# plain `cargo build --profile release-lto` is static already, with a slower allocator.
RUN cargo static

FROM scratch AS base
# coordinates: labels
LABEL org.opencontainers.image.title=argocd-jobs \
      org.opencontainers.image.description="Argo CD plugin and linter that make Kubernetes Jobs safe to change in Git" \
      org.opencontainers.image.licenses=Apache-2.0 \
      org.opencontainers.image.version=0.1.0
# /coordinates
COPY --from=build /src/target/release-lto/argocd-jobs /usr/local/bin/argocd-jobs
# Where argocd-cmp-server looks for it. A volume mounted over it replaces it.
COPY plugin.yaml /home/argocd/cmp-server/config/plugin.yaml
COPY LICENSE /LICENSE
COPY THIRD-PARTY-LICENSES.txt /THIRD-PARTY-LICENSES.txt
ENV PATH=/usr/local/bin
USER 999
# For `docker run -i`, as a filter. The command of a pod replaces it.
ENTRYPOINT ["/usr/local/bin/argocd-jobs"]

FROM quay.io/argoproj/argocd:${ARGOCD_VERSION} AS argocd

# For `source: helm` and `source: kustomize`. No HELM_* or XDG_* is set: each request gets homes of its own below /tmp. There is no git,
# so a kustomization with remote bases cannot be built in it; docs/adopt.md says how to add one.
FROM base AS with-renderers
COPY --from=argocd /usr/local/bin/helm /usr/local/bin/helm
COPY --from=argocd /usr/local/bin/kustomize /usr/local/bin/kustomize
COPY --from=argocd /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt

FROM base AS plugin
