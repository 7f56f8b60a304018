// The page in headless Chromium: typing, choosing, sharing, hostile input, no request, and axe-core.
//
//     node browser.mjs SITE CHROMIUM [PICTURES]
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";
import { EXAMPLES } from "./examples.mjs";
import { bomb, endless } from "./hostile.mjs";
import { serve } from "./serve.mjs";

const [site, executablePath, pictures] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const { address, close } = await serve(site);
// The sandbox of Chromium needs rights that root in a container does not have.
const browser = await chromium.launch({ executablePath, args: process.getuid() === 0 ? ["--no-sandbox"] : [] });
const TYPED = "apiVersion: batch/v1\nkind: Job\nmetadata:\nname: a\nannotations:\nargocd.argoproj.io/hook: presync";

/** A page that is ready. `end` fails when it has asked for something since, or has broken its policy. */
async function open({ fragment = "", route, ...options } = {}) {
  const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"], ...options });
  const page = await context.newPage();
  const wrong = [];
  let isLoaded = false;
  page.on("request", (request) => isLoaded && !request.url().startsWith("blob:") && wrong.push(`a request for ${request.url()}`));
  page.on("pageerror", (error) => wrong.push(`an error: ${error}`));
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && wrong.push(`the console: ${message.text()}`));
  if (route) await page.route("**/program.js", route);
  await page.goto(`${address}playground/${fragment && `#${fragment}`}`);
  await page.waitForSelector("html[data-ready]");
  await page.waitForLoadState("networkidle");
  isLoaded = true;
  const text = (id) => page.locator(`#${id}`).textContent();
  /** Waits until a part of the page has a text. */
  const has = (id, wanted) => page.locator(`#${id}`, { hasText: wanted }).waitFor({ timeout: 15_000 });
  const code = page.locator("#manifest .cm-content");
  const paste = (text) =>
    code.evaluate((content, text) => {
      const data = new DataTransfer();
      data.setData("text/plain", text);
      content.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    }, text);
  /** Replaces the manifests. */
  const fill = async (text) => {
    await code.focus();
    await page.keyboard.press("Control+a");
    await paste(text);
  };
  const end = async () => {
    assert.deepEqual(wrong, []);
    await context.close();
  };
  return { page, text, has, code, fill, wrong, end };
}

/** `ONLY=word` leaves out the other tests. */
async function check(name, test) {
  if (!name.includes(process.env.ONLY ?? "")) return;
  const start = Date.now();
  await test();
  console.log(`ok  ${name} (${Date.now() - start} ms)`);
}

await check("each example shows its finding, and its link leads to a page", async () => {
  const { page, has, end } = await open();
  for (const [number, { id, title }] of EXAMPLES.entries()) {
    await page.selectOption("#example", title);
    await has("findings", id);
    await page.waitForFunction(() => document.getElementById("preview").textContent.length > 40);
    const links = await page.locator("#findings a").evaluateAll((all) => all.map((link) => link.href));
    // Node asks, not the page.
    for (const link of links) assert.equal((await fetch(link)).status, 200, link);
    assert.equal(await page.locator("#compare").evaluate((part) => part.open), number === 0);
  }
  await end();
});

await check("the first example is a change that fails without the plugin, and runs with it", async () => {
  const { page, has, end } = await open();
  await has("preview", "The sync fails");
  await has("diff", "+  name: migrate-");
  await page.selectOption("#plugin", "auto");
  await has("preview", "runs again, as migrate-");
  await page.selectOption("#plugin", "hook");
  await has("diff", "argocd.argoproj.io/hook: Sync");
  await end();
});

await check("findings come while typing, at their place, and a fix is written", async () => {
  const { page, has, code, end } = await open();
  await code.focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  // The editor keeps the indent of the line above.
  for (const [index, line] of TYPED.split("\n").entries()) {
    if (index) await page.keyboard.press("Enter");
    if (index === 3 || index === 5) await page.keyboard.press("Tab");
    await page.keyboard.type(line);
  }
  await has("findings", "unknown hook type presync");
  await page.locator("#manifest .cm-lintRange-error", { hasText: "presync" }).waitFor();
  assert.equal(await page.locator("#manifest .cm-lint-marker-error").count() > 0, true);
  await page.getByRole("button", { name: /^Fix: / }).first().click();
  await code.filter({ hasText: "hook: PreSync" }).waitFor();
  await page.waitForFunction(() => !document.getElementById("findings").textContent.includes("unknown hook type"));
  await end();
});

await check("the version of Argo CD counts", async () => {
  const { page, has, fill, end } = await open();
  await fill("apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a\n  annotations:\n    argocd.argoproj.io/hook: PreDelete\n");
  const latest = await page.locator("#findings").textContent();
  await page.selectOption("#version", "3.2");
  await has("findings", "3.3");
  assert.notEqual(await page.locator("#findings").textContent(), latest);
  await end();
});

await check("a link has the input, and the page of the link shows the same", async () => {
  const first = await open();
  await first.fill("# é 🚀\napiVersion: batch/v1\nkind: Job\nmetadata: {name: shared, annotations: {argocd.argoproj.io/hook: sync}}\n");
  await first.page.selectOption("#version", "3.4");
  await first.page.selectOption("#plugin", "hash-name");
  await first.has("findings", "unknown hook type sync");
  await first.page.click("#share");
  await first.has("said", "The link is copied.");
  const link = await first.page.evaluate(() => navigator.clipboard.readText());
  assert.equal(link, first.page.url());
  const second = await open({ fragment: new URL(link).hash.slice(1) });
  await second.has("said", "Opened the input of the link.");
  await second.has("findings", "unknown hook type sync");
  assert.equal(await second.code.textContent(), await first.code.textContent());
  assert.equal(await second.page.inputValue("#version"), "3.4");
  assert.equal(await second.page.inputValue("#plugin"), "hash-name");
  assert.equal(await second.text("preview"), await first.text("preview"));
  await first.end();
  await second.end();
});

await check("a broken link says so, and the page works", async () => {
  const made = (value) => bomb(JSON.stringify(value));
  for (const [fragment, said] of [
    ["AAAA", "broken"],
    ["%%%", "broken"],
    ["<img src=x onerror=alert(1)>", "broken"],
    [made({ manifest: 1 }), "no input of this page"],
    [made(null), "no input of this page"],
    [bomb("x".repeat(100 << 20)), "too much"],
    ["A".repeat(300_000), "too long"],
  ]) {
    const { has, end } = await open({ fragment });
    await has("said", said);
    await has("findings", "immutable-fields");
    await end();
  }
});

await check("hostile input is text, and ends", async () => {
  const { page, has, text, fill, end } = await open();
  const image = '<img src=x onerror="document.title=1">';
  await fill(`apiVersion: batch/v1\nkind: Job\nmetadata: {name: '${image}', annotations: {argocd.argoproj.io/hook: '${image}'}}\n`);
  await has("findings", `unknown hook type ${image}`);
  assert.equal(await page.locator("#results img, #results script").count(), 0);
  await fill("apiVersion: batch/v1\nkind: Job\nmetadata: {name: a\u0007\u001b[31m\u202e, annotations: {argocd.argoproj.io/hook: \"x\u009b\u200b\"}}\n");
  await page.waitForFunction((image) => !document.getElementById("findings").textContent.includes(image), image);
  // The escapes of the colours are taken out, and others are spelled out.
  assert.doesNotMatch(await text("results"), /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\u200b]/);
  for (const [what, input] of Object.entries({
    "deep lists": "[".repeat(200_000),
    "deep maps": "{a: ".repeat(50_000),
    "deep blocks": Array.from({ length: 1200 }, (_, at) => " ".repeat(at) + "a:\n").join(""),
    "many documents": "---\n{apiVersion: batch/v1, kind: Job, metadata: {name: a}}\n".repeat(15_000),
    "aliases of aliases": "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + Array.from({ length: 30 }, (_, at) => `a${at + 1}: &a${at + 1} [${Array(9).fill(`*a${at}`)}]\n`).join(""),
    "5 MB in one line": `a: ${"x".repeat(5 << 20)}`,
    "5 MB of lines": "# x\n".repeat((5 << 20) / 4),
  })) {
    await page.evaluate(() => (document.getElementById("summary").textContent = "asked"));
    await fill(input);
    await page.waitForFunction(() => document.getElementById("summary").textContent !== "asked", null, { timeout: 30_000 });
    console.log(`    ${what}: ${(await text("summary")).split("\n")[0].slice(0, 120)}`);
  }
  await fill(TYPED.replace(/\n(name|annotations)/g, "\n  $1").replace("\nargocd", "\n    argocd"));
  await has("findings", "unknown hook type presync");
  await end();
});

await check("a program that does not end is stopped, and another one works", async () => {
  const route = (route) => route.fulfill({ contentType: "text/javascript", body: `export default "${endless()}";` });
  const { has, end } = await open({ route });
  await has("summary", "Stopped after 5 seconds");
  await end();
});

await check("the keyboard reaches everything, and leaves the editor", async () => {
  const { page, end } = await open();
  const reached = async () => {
    await page.keyboard.press("Tab");
    return page.evaluate(() => document.activeElement.id || document.activeElement.className || document.activeElement.textContent);
  };
  const order = [];
  while (!order.includes("manifest") && order.length < 20) order.push(await reached());
  for (const id of ["skip", "example", "version", "plugin", "share"]) assert.ok(order.includes(id), `${id} is not in ${order}`);
  assert.equal(await reached(), "manifest", "Tab indents");
  const rest = [];
  for (let count = 0; count < 30 && !rest.includes("diff"); count += 1) {
    await page.keyboard.press("Escape");
    rest.push(await reached());
  }
  assert.notEqual(rest[0], "manifest");
  for (const id of ["preview", "diff"]) assert.ok(rest.includes(id), `${id} is not in ${rest}`);
  await end();
});

for (const [name, options] of Object.entries({
  wide: { viewport: { width: 1400, height: 1000 } },
  narrow: { viewport: { width: 390, height: 844 } },
  dark: { viewport: { width: 1400, height: 1000 }, colorScheme: "dark" },
  "narrow and dark": { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
})) {
  await check(`axe-core finds nothing: ${name}`, async () => {
    const { page, has, end } = await open(options);
    for (const { title, id } of EXAMPLES) {
      await page.selectOption("#example", title);
      await has("findings", id);
      await page.waitForTimeout(300);
      await page.evaluate(axe);
      const { violations, passes } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
      const said = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("; ")}`);
      assert.deepEqual(said, []);
      assert.ok(passes.length > 20);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= options.viewport.width, `${width} pixels wide`);
    }
    if (pictures && !name.includes("and")) {
      await page.selectOption("#example", EXAMPLES[0].title);
      await has("findings", EXAMPLES[0].id);
      await page.waitForTimeout(500);
      await page.screenshot({ path: `${pictures}/playground-${name}.png`, fullPage: true });
    }
    await end();
  });
}

await check("the policy allows no request", async () => {
  const { page, wrong } = await open();
  const refused = await page.evaluate(async () => {
    const ways = { fetch: () => fetch("../"), elsewhere: () => fetch("https://example.com/"), image: () => new Promise((done, failed) => Object.assign(new Image(), { onload: done, onerror: failed, src: "https://example.com/x.png" })) };
    const results = await Promise.allSettled(Object.values(ways).map((way) => way()));
    return [...results.map(({ status }) => status), navigator.sendBeacon("../") ? "sent" : "rejected"];
  });
  assert.deepEqual(refused.slice(0, 3), ["rejected", "rejected", "rejected"]);
  assert.ok(wrong.some((what) => what.includes("Content Security Policy")));
});

await browser.close();
close();
