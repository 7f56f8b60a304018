// The problems to choose from. Each file is called as the finding that it is about.
import before from "../examples/immutable-fields.before.yaml";
import generateName from "../examples/generate-name-without-hook.yaml";
import immutable from "../examples/immutable-fields.yaml";
import later from "../examples/hook-needs-later-object.yaml";
import ttl from "../examples/ttl-reruns.yaml";
import unknown from "../examples/unknown-hook.yaml";
import waits from "../examples/workload-waits-for-later-job.yaml";

export const EXAMPLES = [
  { title: "A new image: field is immutable", manifest: immutable, before },
  { title: "A hook that never runs", manifest: unknown },
  { title: "A TTL: the Job runs again and again", manifest: ttl },
  { title: "generateName: the sync fails", manifest: generateName },
  { title: "A PreSync hook without its ConfigMap", manifest: later },
  { title: "A chart whose Deployment waits forever", manifest: waits },
];
