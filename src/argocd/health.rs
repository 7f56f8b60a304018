//! The kinds for which Argo CD has a health check. A hook of any other kind counts as finished as soon as it is created.

use super::Glob;

/// One API group a line, followed by its kinds that have a health check. A `*` at the start of a group stands for any text, a `*` as a kind for all
/// kinds. The list has the checks that are built into Argo CD (`GetHealthCheckFunc` in `gitops-engine/pkg/health/health.go`) and those that it ships
/// in Lua (`resource_customizations`), as of August 2026.
const CHECKS: &str = "\
*.cnrm.cloud.google.com *
*.crossplane.io *
*.services.k8s.aws *
*.upbound.io *
grafana-org-operator.kubitus-project.gitlab.io *
microgateway.airlock.com *
operator.victoriametrics.com *
core PersistentVolumeClaim Pod Service
acid.zalan.do postgresql
addons.cluster.x-k8s.io ClusterResourceSet
apiextensions.k8s.io CustomResourceDefinition
apiregistration.k8s.io APIService
apps DaemonSet Deployment ReplicaSet StatefulSet
apps.3scale.net APIManager
apps.kruise.io AdvancedCronJob BroadcastJob CloneSet DaemonSet StatefulSet
apps.openshift.io DeploymentConfig
argoproj.io AnalysisRun ApplicationSet CronWorkflow EventBus Experiment Rollout Workflow
astra.netapp.io AppVault Application Backup ExecHook ExecHooksRun ResourceBackup ResticVolumeBackup Schedule Snapshot
autoscaling HorizontalPodAutoscaler
batch CronJob Job
beat.k8s.elastic.co Beat
bitnami.com SealedSecret
camel.apache.org Integration
capabilities.3scale.net ActiveDoc Application ApplicationAuth Backend CustomPolicyDefinition DeveloperAccount DeveloperUser OpenAPI Product ProxyConfigPromote Tenant
cassandra.rook.io Cluster
cdi.kubevirt.io DataVolume
ceph.rook.io CephCluster CephObjectStore
cert-manager.io Certificate ClusterIssuer Issuer
certmanager.k8s.io Certificate Issuer
clickhouse-keeper.altinity.com ClickHouseKeeperInstallation
clickhouse.altinity.com ClickHouseInstallation
cluster.x-k8s.io Cluster Machine MachineDeployment MachineHealthCheck MachinePool
controlplane.cluster.x-k8s.io AWSManagedControlPlane
coralogix.com Alert RecordingRuleGroupSet
core.gardener.cloud Shoot
core.humio.com HumioAction HumioAlert HumioCluster HumioIngestToken HumioParser HumioRepository HumioView
core.spinkube.dev SpinApp
datadoghq.com DatadogMetric
db.atlasgo.io AtlasMigration AtlasSchema
elasticsearch.k8s.elastic.co Elasticsearch
extensions Ingress
external-secrets.io ClusterExternalSecret ClusterSecretStore ExternalSecret PushSecret SecretStore
flagger.app Canary
flink.apache.org FlinkDeployment
game.kruise.io GameServer GameServerSet
gateway.networking.k8s.io BackendTLSPolicy GRPCRoute Gateway GatewayClass HTTPRoute
gateway.solo.io Gateway MatchableHttpGateway RouteOption RouteTable VirtualHostOption VirtualService
gloo.solo.io Proxy Settings Upstream UpstreamGroup
grafana.integreatly.org Grafana GrafanaDashboard GrafanaDatasource GrafanaFolder
helm.toolkit.fluxcd.io HelmRelease
iammanager.keikoproj.io Iamrole
image.toolkit.fluxcd.io ImagePolicy ImageRepository ImageUpdateAutomation
install.istio.io IstioOperator
jaegertracing.io Jaeger
k8s.keycloak.org Keycloak
k8s.mariadb.com Backup Database Grant MariaDB SqlJob User
kafka.banzaicloud.io KafkaCluster
kafka.strimzi.io Kafka KafkaBridge KafkaConnect KafkaConnector KafkaTopic KafkaUser
karpenter.k8s.aws EC2NodeClass
karpenter.sh NodeClaim NodePool
keda.sh ScaledJob ScaledObject
kiali.io Kiali
kubernetes-client.io ExternalSecret
kubevirt.io VirtualMachine VirtualMachineInstance
kustomize.toolkit.fluxcd.io Kustomization
kyverno.io Policy
lifecycle.keptn.sh KeptnAppVersion KeptnEvaluation KeptnTask KeptnWorkloadInstance KeptnWorkloadVersion
logstash.k8s.elastic.co Logstash
mariadb.mmontes.io MariaDB
metrics.keptn.sh Analysis KeptnMetric
minio.min.io Tenant
monitoring.coreos.com Prometheus
networking.gke.io ManagedCertificate
networking.k8s.io Ingress
nmstate.io NodeNetworkConfigurationPolicy
notification.toolkit.fluxcd.io Receiver
numaflow.numaproj.io InterStepBufferService MonoVertex Pipeline Vertex
numaplane.numaproj.io ISBServiceRollout MonoVertexRollout NumaflowControllerRollout PipelineRollout
objectbucket.io ObjectBucketClaim
ocs.openshift.io StorageCluster
onepassword.com OnePasswordItem
openfaas.com Function
opentelemetry.io OpenTelemetryCollector
operator.knative.dev KnativeEventing KnativeServing
operator.openshift.io IngressController
operators.coreos.com Subscription
platform.confluent.io Connect Connector ControlCenter Kafka KsqlDB SchemaRegistry Zookeeper
policy PodDisruptionBudget
policy.open-cluster-management.io CertificatePolicy ConfigurationPolicy OperatorPolicy Policy
postgresql.cnpg.io Cluster
proclaim.dogmatiq.io DNSSDServiceInstance
projectcontour.io ExtensionService HTTPProxy
promoter.argoproj.io ArgoCDCommitStatus ChangeTransferPolicy ClusterScmProvider CommitStatus GitCommitStatus GitRepository PromotionStrategy PullRequest ScmProvider TimedCommitStatus WebRequestCommitStatus
psmdb.percona.com PerconaServerMongoDB
pulumi.com Stack
pxc.percona.com PerconaXtraDBCluster
rabbitmq.com Binding Exchange Permission Policy Queue RabbitmqCluster Shovel User Vhost
rollouts.kruise.io Rollout
route.openshift.io Route
services.cloud.sap.com ServiceBinding ServiceInstance
serving.knative.dev Service
serving.kserve.io InferenceService
snapshot.storage.k8s.io VolumeSnapshot VolumeSnapshotContent
solr.apache.org SolrCloud
source.toolkit.fluxcd.io Bucket GitRepository HelmChart HelmRepository OCIRepository
sparkoperator.k8s.io SparkApplication
spot.io SpotDeployment
tower.ansible.com AnsibleJob
trident.netapp.io TridentBackendConfig TridentOrchestrator
work.karmada.io ClusterResourceBinding ResourceBinding
zookeeper.pravega.io ZookeeperCluster
";

/// The health checks that an `argocd-cm` adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomChecks {
    /// The file that it is in.
    pub place: String,
    /// Globs of `group/Kind`, of the core group only the kind. None if Argo CD cannot read them.
    pub kinds: Option<Vec<String>>,
}

/// Whether a sync waits for a hook until it is healthy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waits {
    /// It does.
    Yes,
    /// It does not: there is no health check.
    No,
    /// It does where this `argocd-cm` holds.
    OnlyWith(String),
}

impl Waits {
    /// For an object of a kind. Of several `argocd-cm` nobody knows which one holds.
    pub fn of(group: &str, kind: &str, all: &[CustomChecks]) -> Self {
        let name = if group.is_empty() { kind.to_owned() } else { format!("{group}/{kind}") };
        let has_check = |kinds: &Vec<String>| kinds.iter().any(|glob| Glob::new(glob).matches(&name));
        let may_have = |checks: &&CustomChecks| checks.kinds.as_ref().is_none_or(has_check);
        match all.iter().find(may_have) {
            _ if has_health_check(group, kind) => Self::Yes,
            None => Self::No,
            Some(_) if all.iter().all(|checks| checks.kinds.as_ref().is_some_and(has_check)) => Self::Yes,
            Some(CustomChecks { place, kinds: Some(_) }) => Self::OnlyWith(format!("`{place}`")),
            Some(CustomChecks { place, kinds: None }) => Self::OnlyWith(format!("`{place}`, which cannot be read")),
        }
    }
}

/// Whether Argo CD waits for the health of objects of a kind (`getOperationPhase` in `gitops-engine/pkg/sync/sync_context.go`). Ignores the checks
/// that `argocd-cm` adds.
fn has_health_check(group: &str, kind: &str) -> bool {
    let group = if group.is_empty() { "core" } else { group };
    CHECKS.lines().any(|line| {
        let mut words = line.split(' ');
        let is_group = words.next().is_some_and(|known| match known.strip_prefix('*') {
            Some(end) => group.ends_with(end),
            None => group == known,
        });
        is_group && words.any(|known| known == "*" || known == kind)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn argo_cd_waits_for_workflows_and_not_for_tekton() {
        for (group, kind, expected) in [
            ("", "Pod", true),
            ("argoproj.io", "Workflow", true),
            ("argoproj.io", "AnalysisRun", true),
            ("s3.aws.upbound.io", "Bucket", true),
            ("batch", "CronJob", true),
            ("tekton.dev", "TaskRun", false),
            ("", "ConfigMap", false),
            ("example.com", "Job", false),
        ] {
            assert_eq!(has_health_check(group, kind), expected, "{group}/{kind}");
        }
    }
}
