// The examples of the page as the tests need them: what each is called, and the finding that it is about.
export const EXAMPLES = [
  { id: "immutable-fields", title: "A new image: field is immutable" },
  { id: "unknown-hook", title: "A hook that never runs" },
  { id: "ttl-reruns", title: "A TTL: the Job runs again and again" },
  { id: "generate-name-without-hook", title: "generateName: the sync fails" },
  { id: "hook-needs-later-object", title: "A PreSync hook without its ConfigMap" },
  { id: "workload-waits-for-later-job", title: "A chart whose Deployment waits forever" },
];
