"""What has to hold of the built site. Prints what does not, and then fails.

    check.py PAGES SITE [ADDRESS REPOSITORY]

- Nothing is loaded from another host, by a page or by a style sheet; and the browser is asked to refuse it, because the scripts of the theme know addresses for
  functions that the site does not use. The playground asks it to refuse any request.
- Every link inside the site leads to a page and to an anchor that are there.
- No warning of a forge (`> [!NOTE]`) and no link to an address that the page does not give (`[text][name]`) is left as text.
- Every page has a title and a description of its own.
- With the address of the site: the map of the site has every page, every page names its own address, the page for wrong addresses loads its styles from
  below that address, and the header of each page leads to the repository.
- A page has as many headings, tables, rows, items and code blocks as its source: Python-Markdown reads Markdown otherwise than a forge, and
  when it misreads something it says nothing.
"""

import re
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

PAGES, SITE = (Path(argument).resolve() for argument in sys.argv[1:3])
ADDRESS, REPOSITORY = sys.argv[3:] or ("", "")
# The page that the generator does not make.
PLAYGROUND = SITE / "playground/index.html"
LOADING = {"script": ["src"], "img": ["src", "srcset"], "source": ["src", "srcset"], "iframe": ["src"], "video": ["src"]}
# Links in the head that make a browser ask for something. `canonical` and `alternate` do not.
ASKING = {"stylesheet", "icon", "preload", "prefetch", "preconnect", "dns-prefetch", "modulepreload", "manifest"}


class Page(HTMLParser):
    """What a page loads, links to and consists of."""

    def __init__(self, text):
        super().__init__()
        self.loads, self.links, self.anchors, self.parts = [], [], set(), Counter()
        self.article, self.policy, self.description, self.canonical = 0, "", "", ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.anchors.update(filter(None, (found.get("id"), found.get("name"))))
        for name in LOADING.get(tag, []):
            self.loads.extend(part.split()[0] for part in (found.get(name) or "").split(",") if part.strip())
        if tag == "link" and ASKING & set((found.get("rel") or "").split()):
            self.loads.append(found.get("href") or "")
        if tag == "meta" and found.get("http-equiv") == "Content-Security-Policy":
            self.policy = found["content"]
        if tag == "meta" and found.get("name") == "description":
            self.description = found["content"]
        if tag == "link" and found.get("rel") == "canonical":
            self.canonical = found["href"]
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if tag == "article":
            self.article += 1
        elif self.article:
            part = {"h1": "heading", "h2": "heading", "h3": "heading", "table": "table", "tr": "row", "li": "item", "pre": "code"}
            if tag in part and "md-" not in (found.get("class") or ""):
                self.parts[part[tag]] += 1

    def handle_endtag(self, tag):
        if tag == "article":
            self.article -= 1


def parts_of(markdown):
    """The parts that the Markdown of a page has."""
    parts, fence = Counter(), False
    lines = markdown.splitlines()
    for line, below in zip(lines, [*lines[1:], ""]):
        if re.match(r"\s*```", line):
            fence = not fence
            parts["code"] += fence
        elif not fence:
            parts["heading"] += bool(re.match(r"#{1,3} ", line))
            parts["item"] += bool(re.match(r"(> )?\s*([-*+]|\d+\.) ", line))
            if re.match(r"\s*\|[-:| ]+\|$", line):
                parts["table"] += 1
                # A table without a row gets an empty one.
                parts["row"] += not re.match(r"\s*\|", below)
            elif re.match(r"\s*\|", line):
                parts["row"] += 1
    return parts


def published(pages):
    """What a site with an address lacks. Without an address there is nothing to say to a search engine."""
    wrong = []
    addresses = {
        ADDRESS + path.relative_to(SITE).as_posix().removesuffix("index.html"): path
        for path in pages
        if path.name == "index.html" and path != PLAYGROUND
    }
    listed = set(re.findall(r"<loc>(.*?)</loc>", (SITE / "sitemap.xml").read_text()))
    wrong += [f"sitemap.xml: {address} is on one side only" for address in sorted(listed ^ set(addresses))]
    wrong += [f"{address}: says that it is {pages[path].canonical}" for address, path in addresses.items() if pages[path].canonical != address]
    folder = urlsplit(ADDRESS).path
    wrong += [f"404.html: {url} is not below {folder}" for url in pages[SITE / "404.html"].loads if not url.startswith((folder, "data:"))]
    wrong += [f"{path.relative_to(SITE)}: no link to {REPOSITORY}" for path, page in pages.items() if REPOSITORY not in page.links and path != PLAYGROUND]
    return wrong


def main():
    wrong = []
    pages = {path: Page(path.read_text()) for path in sorted(SITE.rglob("*.html"))}
    for path, page in pages.items():
        name = path.relative_to(SITE).as_posix()
        wrong += [f"{name}: loads {url}" for url in page.loads if urlsplit(url).scheme not in ("", "data") or url.startswith("//")]
        if ("default-src 'none'" if path == PLAYGROUND else "default-src 'self'") not in page.policy:
            wrong.append(f"{name}: has no policy against other hosts")
        prose = re.sub(r"<(code|script|style)\b.*?</\1>", "", path.read_text(), flags=re.DOTALL)
        wrong += [f"{name}: {found} is text" for found in re.findall(r"\[!\w+\]|\]\[[^\]]+\]", prose)]
        if name == "404.html":
            continue
        for link in page.links:
            url = urlsplit(link)
            if url.scheme or url.netloc:
                continue
            target = path.parent / unquote(url.path) if url.path else path
            target = (target / "index.html" if target.is_dir() else target).resolve()
            if not target.exists():
                wrong.append(f"{name}: {link} leads nowhere")
            elif url.fragment and target in pages and unquote(url.fragment) not in pages[target].anchors:
                wrong.append(f"{name}: {link} has no such heading")
    for what, count in Counter(page.description for path, page in pages.items() if path.name == "index.html").items():
        if count > 1 or not 30 <= len(what) <= 210:
            wrong.append(f"{count} pages have the description {what!r}")
    if ADDRESS:
        wrong += published(pages)
    for path in sorted(SITE.rglob("*.css")):
        for url in re.findall(r"""(?:url\(|@import )["']?((?:https?:)?//[^"')]+)""", path.read_text()):
            wrong.append(f"{path.relative_to(SITE)}: loads {url}")
    sources = sorted(PAGES.rglob("*.md"))
    for source in sources:
        name = source.relative_to(PAGES)
        folder = name.parent if name.stem == "index" else name.with_suffix("")
        built = SITE / folder / "index.html"
        if built not in pages:
            wrong.append(f"{name}: there is no page")
            continue
        want, got = parts_of(source.read_text().split("\n---\n", 1)[1]), pages[built].parts
        wrong += [f"{name}: {want[part]} of {part} written, {got[part]} on the page" for part in want if want[part] != got[part]]
    print(*wrong, sep="\n")
    print(f"{len(sources)} pages, {len(pages)} files, {sum(len(page.links) for page in pages.values())} links, {len(wrong)} mistakes")
    sys.exit(bool(wrong))


main()
