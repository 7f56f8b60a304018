// The page: what is chosen and typed goes to the program, and what it prints is shown.
import { editor } from "./editor.js";
import { load } from "./engine.js";
import { EXAMPLES } from "./examples.js";
import { decode, encode, LONG } from "./link.js";
import * as show from "./show.js";

/** The milliseconds without typing after which the program is asked. */
const PAUSE = 150;

/** The name of the manifests in messages. */
const FILE = "manifest.yaml";

const part = (id) => document.getElementById(id);
const [example, version, plugin, compare] = ["example", "version", "plugin", "compare"].map(part);
const manifest = editor(part("manifest"), "Manifests", later);
const before = editor(part("before"), "Manifests that are deployed now", later);

let engine;
let timer;

function later() {
  clearTimeout(timer);
  timer = setTimeout(update, PAUSE);
}

function say(text) {
  part("said").textContent = text;
}

/** The width of a result in characters. */
function columns(target) {
  const probe = show.element("span", "", "0".repeat(100));
  target.append(probe);
  const width = probe.getBoundingClientRect().width / 100;
  const { paddingLeft, paddingRight } = getComputedStyle(target);
  const room = target.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
  // An empty result is not shown, and has no width.
  probe.remove();
  return Math.max(40, Math.floor(room / width));
}

/** What the program is asked: the findings, the next sync, and what the plugin writes. */
function requests() {
  const strategy = plugin.value && [["--strategy", plugin.value]];
  const settings = [["--argocd-version", version.value], ...(strategy || [])];
  const common = { files: { [FILE]: manifest.text() }, settings, plugin: plugin.value ? true : null };
  const base = compare.open && before.text() ? { files: { [FILE]: before.text() }, shownAs: "before" } : null;
  return [
    { ...common, command: "check", format: "json" },
    { ...common, command: "preview", base, color: true, width: columns(part("preview")), diff: "never" },
    { ...common, command: "diff" },
  ];
}

function update() {
  engine?.ask(requests(), ({ answers, failure }) => {
    if (failure) {
      part("summary").textContent = failure;
      manifest.mark([]);
      for (const id of ["findings", "preview", "diff"]) part(id).replaceChildren();
      return;
    }
    const [check, preview, diff] = answers;
    found(check);
    (preview.isError ? show.failed : show.coloured)(part("preview"), preview.text);
    if (diff.isError) show.failed(part("diff"), diff.text);
    else show.diff(part("diff"), diff.text || "The plugin changes nothing.\n");
  });
}

function found(check) {
  const { counts, findings } = check.isError ? { findings: [] } : JSON.parse(check.text);
  part("summary").textContent = check.isError ? check.text : show.summary(counts);
  manifest.mark(findings.filter(({ state, line }) => state === "open" && line));
  show.findings(part("findings"), findings, { go: manifest.show, fix: manifest.edit });
}

/** Puts an input into the page. What cannot be chosen stays as it is. */
function fill(input) {
  const isChoice = (select, value) => [...select.options].some((option) => option.value === value);
  manifest.replace(input.manifest);
  before.replace(input.before);
  compare.open = input.before !== "";
  if (isChoice(version, input.version)) version.value = input.version;
  if (isChoice(plugin, input.plugin)) plugin.value = input.plugin;
  update();
}

function choose(number) {
  const { manifest, before = "" } = EXAMPLES[number];
  fill({ manifest, before });
}

/** Opens the input of the link. Without one, and with a link to a part of the page, the input stays. */
async function open() {
  const fragment = location.hash.slice(1);
  if (!fragment || part(fragment)) return;
  try {
    fill(await decode(fragment));
    say("Opened the input of the link.");
  } catch (error) {
    say(error.message);
  }
}

async function share() {
  const input = { manifest: manifest.text(), before: compare.open ? before.text() : "", version: version.value, plugin: plugin.value };
  try {
    const fragment = await encode(input);
    history.replaceState(null, "", `#${fragment}`);
    const long = fragment.length > LONG ? " It is long: some programs cut such links." : "";
    const copied = await navigator.clipboard.writeText(location.href).then(() => true, () => false);
    say((copied ? "The link is copied." : "The link is in the address bar.") + long);
  } catch (error) {
    say(error.message);
  }
}

function option(value, text) {
  const made = show.element("option", "", text);
  made.value = value;
  return made;
}

async function start() {
  example.append(...EXAMPLES.map(({ title }, number) => option(number, title)));
  const packed = import("./program.js");
  let choices;
  try {
    engine = await load((await packed).default);
    choices = await new Promise((told) => engine.ask([{ command: "choices" }], told));
    choices = JSON.parse(choices.answers[0].text);
  } catch (error) {
    part("summary").textContent = `The program cannot be started in this browser: ${error.message}`;
    return;
  }
  version.append(...choices.versions.map((name) => option(name, name)));
  plugin.append(...choices.strategies.map((name) => option(name, `on: ${name}`)));
  example.addEventListener("change", () => choose(example.value));
  for (const select of [version, plugin]) select.addEventListener("change", update);
  compare.addEventListener("toggle", later);
  part("share").addEventListener("click", share);
  addEventListener("hashchange", open);
  addEventListener("resize", later);
  choose(0);
  await open();
  document.documentElement.dataset.ready = "";
}

start();
