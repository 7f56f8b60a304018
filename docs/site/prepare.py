"""Writes what the generator of the site reads: the documents of the repository, in one folder and with the links between them.

    prepare.py ROOT TARGET [REPOSITORY]

REPOSITORY is where the project is published; without it, what Cargo.toml says (release/facts.py).

The documents are written for a forge, which shows them in place. Four things differ on a site:

- a page has another address (`deploy/README.md` is `platform.md`), every finding and every part of the page of errors has a page of its own, and what is not
  a page is a file of the repository, which has an address only when the repository has one;
- Python-Markdown asks for four spaces in a list and for an empty line before it, where GitHub takes what CommonMark says;
- the navigation names the pages of the findings and of the errors;
- a page has a description for search engines: its first sentences.
"""

import json
import re
import shutil
import sys
from itertools import groupby, takewhile
from pathlib import Path

ROOT, TARGET = (Path(argument).resolve() for argument in sys.argv[1:3])
sys.path.insert(0, str(ROOT / "release"))
import facts  # noqa: E402

#: The address under which people see the repository's files, if there is one.
REPOSITORY = sys.argv[3] if len(sys.argv) > 3 else facts.repository()
PAGES = TARGET / "pages"
# Where a document of the repository is on the site. Those of docs/ have their own names.
MOVED = {
    "README.md": "index.md",
    "deploy/README.md": "platform.md",
    "docs/findings.md": "findings/index.md",
    "docs/errors.md": "errors/index.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}
# What a forge shows in place of the playground.
PLAYGROUND = "docs/playground/README.md"
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
COMMENT = re.compile(r"<!-- .*? -->\n?", re.DOTALL)
SOURCE = re.compile(r"""((?:src|srcset|href)=")([^"]+)(")""")
FENCE = re.compile(r"\s*```")
ITEM = re.compile(r"( *)([-*+]|\d+\.)( +)")


def site_path(document):
    """The page of a document, or None when it is not on the site."""
    if document in MOVED:
        return MOVED[document]
    folder, _, name = document.rpartition("/")
    return name if folder == "docs" and name.endswith(".md") else None


def lines_of(text):
    """The lines of a document, each with whether it is code: a fence, or a line inside one."""
    inside = False
    for line in text.splitlines():
        fence = FENCE.match(line) is not None
        yield line, inside or fence
        inside ^= fence


def blocks(text):
    """The paragraphs, empty lines and code blocks of a document, each with whether it is code. A link can go on in the next line."""
    for (_, is_code), lines in groupby(lines_of(text), lambda line: (not line[0].strip(), line[1])):
        yield "\n".join(line for line, _ in lines), is_code


class Links:
    """Turns a link of one document into that of its page."""

    def __init__(self, document, page, parts):
        self.document = Path(document)
        self.page = page
        self.parts = parts

    def relative(self, page):
        up = "../" * self.page.count("/")
        return up + page

    def target(self, link):
        """The link on the site, or None when there is nothing to link to."""
        if re.match(r"[a-z]+:", link):
            return link
        path, mark, anchor = link.partition("#")
        if not path:
            path = self.document
        else:
            path = Path(re.sub(r"[^/]+/\.\./", "", (self.document.parent / path).as_posix()))
        document = path.as_posix()
        while "/../" in f"/{document}":
            document = re.sub(r"(^|/)[^/]+/\.\.(/|$)", r"\1", document)
        document = document.strip("/")
        if document == PLAYGROUND and (PAGES / "playground").is_dir():
            return self.relative("playground/index.html")
        page = site_path(document)
        if anchor in self.parts.get(page, ()):
            return self.relative(page.replace("index.md", f"{anchor}.md"))
        if page is not None:
            return (self.relative(page) if page != self.page else "") + mark + anchor
        file = ROOT / document
        if file.suffix in {".json", ".svg", ".png"} and file.is_file():
            copy = PAGES / document.removeprefix("docs/")
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
            return self.relative(document.removeprefix("docs/"))
        if not REPOSITORY:
            return None
        return f"{REPOSITORY}/{'tree' if file.is_dir() else 'blob'}/main/{document}{mark}{anchor}"

    def turned(self, text):
        """A paragraph with its links turned. A link to nothing becomes its text."""

        def inline(text):
            found = LINK.search(text)
            if not found:
                return text
            target = self.target(found[3])
            turned = found[2] if target is None else f"{found[1]}[{found[2]}]({target})"
            return text[: found.start()] + turned + inline(text[found.end() :])

        def tag(found):
            target = self.target(found[2])
            return found[1] + (target or found[2]) + found[3]

        # Links are outside code, but may hold some: `[`id`](page.md)`.
        hidden = []

        def hide(found):
            hidden.append(found[0])
            return f"\0{len(hidden) - 1}\0"

        # Python-Markdown takes what is below a comment for a part of it.
        text = COMMENT.sub("", text)
        text = inline(re.sub(r"(`+).+?\1", hide, text))
        if "<" in text:
            text = SOURCE.sub(tag, text)
        return re.sub(r"\0(\d+)\0", lambda found: hidden[int(found[1])], text)


def is_text_of_item(lines):
    """Whether the last paragraph of these lines begins with an item."""
    paragraph = takewhile(str.strip, reversed(lines))
    return ITEM.match(list(paragraph)[-1]) is not None


def for_python_markdown(text):
    """Lists as Python-Markdown reads them: with an empty line before them, and four spaces for each level."""
    out = []
    # Of each open item, how far its text is indented here, and how far there.
    levels = []
    fence = None
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip(" "))
        if fence is not None:
            here, there = fence
            out.append(" " * there + line[here:] if line.strip() else line)
            if FENCE.match(line):
                fence = None
            continue
        if not line.strip():
            out.append(line)
            continue
        previous = out[-1] if out else ""
        # A line that goes on without an indent belongs to the paragraph above it.
        item = ITEM.match(line)
        lazy = bool(levels) and previous.strip() and not item and indent < levels[-1][0] and not FENCE.match(line)
        if not lazy:
            while levels and indent < levels[-1][0]:
                levels.pop()
        here, there = levels[-1] if levels else (0, 0)
        if FENCE.match(line):
            fence = (here, there)
        if item and not lazy:
            # An item ends a paragraph, unless that is the text of the item above it.
            if previous.strip() and not is_text_of_item(out):
                out.append("")
            out.append(" " * there + line[here:])
            levels.append((len(item[0]), there + 4))
        elif line.startswith("|") and previous.strip() and not previous.startswith("|"):
            out.extend(["", line])
        else:
            out.append(line if lazy else " " * there + line[here:])
    return "\n".join(out) + "\n"


def write(document, page, text, parts):
    """Writes a page. `parts` has the anchors of each page whose parts are pages."""
    links = Links(document, page, parts)
    turned = "\n".join(block if is_code else links.turned(block) for block, is_code in blocks(text))
    path = PAGES / page
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\ndescription: {json.dumps(description(text), ensure_ascii=False)}\n---\n\n{for_python_markdown(turned)}")


def description(text):
    """The first sentences of a document, as plain text of about 160 characters: what a search engine shows."""
    prose = [block for block, is_code in blocks(COMMENT.sub("", text)) if not is_code and re.match(r"[\w`*\[]", block)]
    first = " ".join(prose[0].split())
    # Of a finding: what it finds, not its level.
    first = re.sub(r"^\*[^*]+\*: ", "", first)
    plain = re.sub(r"[*`]", "", LINK.sub(r"\2", first))
    sentences = re.findall(r".+?[.!?](?= |$)|.+$", plain)
    out = sentences[0]
    for sentence in sentences[1:]:
        # One that ends in a colon says nothing without what follows.
        if len(out) >= 50 and (len(out + sentence) > 160 or sentence.endswith(":")):
            break
        out += sentence
    out = out.removesuffix(":").removesuffix(".") + "." if len(out) <= 200 else out[: out.rindex(" ", 0, 199)] + "…"
    # What is written as code keeps its small letter.
    return out if first[0] == "`" else out[0].upper() + out[1:]


def split(text):
    """The page of findings without the findings, and these by theme: `{theme: {id: text}}`.

    The page has the table of each theme above, and what is said about the theme below, where the findings were: both come together.
    """
    head, themes, about = [], {}, {}
    theme = finding = None
    for line, is_code in lines_of(text):
        if not is_code and line.startswith("## "):
            theme, finding = line[3:], None
            themes[theme], about[theme] = {}, []
        elif not is_code and line.startswith("### "):
            finding = line[4:]
            themes[theme][finding] = []
        if theme is None:
            head.append(line)
        elif finding is None:
            about[theme].append(line)
        else:
            themes[theme][finding].append(line)
    index = "\n".join(head)
    for theme, lines in about.items():
        link = re.compile(rf"^\*\*\[{re.escape(theme)}\]\([^)]*\)\*\*$", re.MULTILINE)
        assert link.search(index), f"the page of findings has no table for {theme}"
        index = link.sub("\n".join(lines).strip(), index)
    return index, {
        theme: {name: "\n".join(lines)[2:] for name, lines in found.items()} for theme, found in themes.items()
    }


def messages(text):
    """The page of errors with a list of links in place of its parts, and these: `{anchor: text}`."""
    head, found = [], {}
    anchor = None
    for line, is_code in lines_of(text):
        if not is_code and line.startswith("## "):
            anchor = re.sub(r"[^\w -]", "", line[3:].lower()).strip().replace(" ", "-")
            found[anchor] = []
            head.append(f"- [{line[3:]}](#{anchor})")
        (head if anchor is None else found[anchor]).append(line)
    return "\n".join(head), {name: "\n".join(lines)[1:] for name, lines in found.items()}


def with_pages(navigation, entry, pages):
    """The navigation with these pages below an entry."""
    assert entry in navigation, f"the navigation has no {entry}"
    name, index = entry.removesuffix(" }").split(" = ")
    return navigation.replace(entry, f"{name} = [{', '.join([index, *pages])}] }}")


def main():
    shutil.rmtree(TARGET, ignore_errors=True)
    PAGES.mkdir(parents=True)
    here = ROOT / "docs/site"
    shutil.copytree(here / "theme", TARGET / "theme")
    shutil.copyfile(here / "style.css", PAGES / "style.css")
    # docs/playground/build makes it. It is a page as it is.
    playground = TARGET.parent / "playground-page"
    if playground.is_dir():
        shutil.copytree(playground, PAGES / "playground")
    # Where agents look for it.
    shutil.copyfile(ROOT / "llms.txt", PAGES / "llms.txt")
    findings, themes = split((ROOT / "docs/findings.md").read_text())
    errors, said = messages((ROOT / "docs/errors.md").read_text())
    of_themes = {name: text for found in themes.values() for name, text in found.items()}
    parts = {"findings/index.md": of_themes, "errors/index.md": said}
    for document, head in [("docs/findings.md", findings), ("docs/errors.md", errors)]:
        page = site_path(document)
        write(document, page, head, parts)
        for name, text in parts[page].items():
            write(document, page.replace("index.md", f"{name}.md"), text, parts)
    documents = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs").glob("*.md"))]
    for document in {**dict.fromkeys(documents), **MOVED}:
        if site_path(document) not in parts:
            write(document, site_path(document), (ROOT / document).read_text(), parts)
    navigation = (here / "zensical.toml").read_text()
    pages = [f'{{"{theme}" = [' + ", ".join(f'"findings/{name}.md"' for name in found) + "]}" for theme, found in themes.items()]
    navigation = with_pages(navigation, '{ "Findings" = "findings/index.md" }', pages)
    navigation = with_pages(navigation, '{ "Errors and troubleshooting" = "errors/index.md" }', [f'"errors/{name}.md"' for name in said])
    if REPOSITORY:
        name = "/".join(REPOSITORY.split("/")[3:])
        addresses = {"repo_url": REPOSITORY, "repo_name": name, "site_url": facts.site(REPOSITORY)}
        filled = "".join(f'{key} = "{address}"\n' for key, address in addresses.items() if address)
        navigation = navigation.replace("[project]\n", f"[project]\n{filled}", 1)
    (TARGET / "zensical.toml").write_text(navigation)


main()
