"""pages.py DOCUMENTATION BOOK: checks README.md and docs/ without running their code.

- Each code block is run: a Rust block as a documentation test of a page that a crate includes, any other by a script in
  a folder tests/legs that contains `doc_block PAGE LANGUAGE NUMBER`, or by a test in a folder tests/with_compilers that contains
  `doc_block("PAGE", "LANGUAGE", NUMBER)`.
- Links point to existing files, headings, and rustdoc pages in DOCUMENTATION; those in BOOK, mdBook's output, to its files.
- Each page is in the book's summary; the README has at most 900 words.
- Pictures are XML, are legible in light and dark mode, and show their complete texts.
"""

import html
import pathlib
import re
import sys
import xml.etree.ElementTree as tree

documentation, book = map(pathlib.Path, sys.argv[1:])
docs = pathlib.Path("docs")
summary = docs / "SUMMARY.md"
pages = [pathlib.Path("README.md"), *sorted(docs.glob("*.md"))]
others = [pathlib.Path(name) for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")]
wrong = []


def split(page):
    """The prose of a page, and its blocks as (line, language)."""
    prose, blocks, inside = [], [], False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if fence := re.match(r" *```(\S*)", line):
            if not inside:
                blocks.append((number, fence[1]))
            inside = not inside
        elif not inside:
            prose.append(line)
    return "\n".join(prose), blocks


def slug(heading):
    """The anchor that GitHub, mdBook and rustdoc agree on."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


texts = {page: split(page) for page in pages + others}
anchors = {page: {slug(heading) for heading in re.findall(r"^#+ (.*)", prose, re.M)} for page, (prose, _) in texts.items()}

scripts = "\n".join(script.read_text() for pattern in ("tests/legs/**/*.sh", "*/tests/legs/**/*.sh", "**/tests/with_compilers/*.rs") for script in pathlib.Path().glob(pattern))
crates = "".join(pathlib.Path(name).read_text() for name in ("src/guide.rs", "raw/src/lib.rs", "interop/src/lib.rs"))
run = 0
for page in pages:
    counts = {}
    for line, language in texts[page][1]:
        counts[language] = number = counts.get(language, 0) + 1
        if language == "text":
            continue
        if language == "rust":
            tested = re.search(rf'include_str!\("[./]*{re.escape(str(page))}"\)', crates)
        else:
            of_block = rf'doc_block[ (]"?{re.escape(str(page))}"?,? "?{re.escape(language)}"?,? {number}\b'
            tested = re.search(of_block, scripts)
        run += 1
        if not tested:
            wrong.append(f"{page}:{line}: no test runs this block")

links = 0
for page, (prose, _) in texts.items():
    spans = re.sub(r"`[^`\n]*`", lambda span: span[0] if span[0] + "]" in prose else "", prose)
    for target in re.findall(r"\]\(([^)\s]+)\)", spans) + re.findall(r"^\[[^\]]+\]: (\S+)", spans, re.M):
        links += 1
        path, _, anchor = target.partition("#")
        of_rustdoc = re.sub(r"^https://docs\.rs/statictramp(-raw)?/latest/", "", path)
        if of_rustdoc != path:
            file = documentation / of_rustdoc
            if not file.is_file() or (anchor and f'id="{anchor}"' not in file.read_text()):
                wrong.append(f"{page}: rustdoc has no {target}")
        elif not re.match(r"[a-z]+:", path):
            file = (page.parent / path) if path else page
            file = pathlib.Path(*[part for part in file.parts if part != "."])
            if not file.exists():
                wrong.append(f"{page}: there is no {target}")
            elif anchor and anchor not in anchors.get(file, ()):
                wrong.append(f"{page}: there is no heading {target}")

for page in docs.glob("*.md"):
    if page != summary and f"({page.name})" not in summary.read_text():
        wrong.append(f"{page} is not in {summary}")
for page in book.glob("*.html"):
    for target in re.findall(r'(?:href|src)="([^"#:]+)[^":]*"', page.read_text()):
        if page.stem not in ("404", "print", "toc") and not (book / html.unescape(target)).exists():
            wrong.append(f"the book's {page.name} leads to {target}, which is not there")

words = len(pathlib.Path("README.md").read_text().split())
if words > 900:
    wrong.append(f"README.md has {words} words")

name = "{http://www.w3.org/2000/svg}"
for picture in [*docs.glob("*.svg"), *pathlib.Path("target/bench").glob("chart.svg")]:
    root = tree.parse(picture).getroot()
    width, height = map(float, root.get("viewBox").split()[2:])
    size = float(root.get("font-size"))
    if "prefers-color-scheme:dark" not in picture.read_text():
        wrong.append(f"{picture} has no colours for the dark")
    for text in root.iter(name + "text"):
        # No sans-serif font has a greater average width over a text.
        long = 0.62 * size * len(text.text) * (1.1 if text.get("font-weight") else 1)
        left = float(text.get("x")) - {"end": long, "middle": long / 2}.get(text.get("text-anchor"), 0)
        if left < 0 or left + long > width or not size <= float(text.get("y")) <= height:
            wrong.append(f'{picture}: "{text.text}" is cut off')

if wrong:
    sys.exit("\n".join(wrong))
print(f"{run} blocks of code, {links} links, {words} words in the README")
