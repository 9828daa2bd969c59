# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a report as a strict XML parser and as an HTML parser do and tells what is wrong with it.

check_report.py FILE: prints {"problems": [...], "title": ..., "sections": {heading: text}, "figures": n, "csv": text}.
"""
import base64
import json
import sys
import unicodedata
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
VOID = {"meta", "br", "hr", "line", "rect", "circle", "polygon", "polyline"}
KNOWN = VOID | {
    "html", "head", "title", "style", "body", "main", "header", "section", "h1", "h2", "p", "ul", "li", "dl", "dt", "dd",
    "div", "table", "caption", "thead", "tbody", "tr", "th", "td", "pre", "code", "span", "figure", "figcaption", "a",
    "svg", "desc", "text"}
ATTRIBUTES = {
    "xmlns", "lang", "charset", "http-equiv", "content", "name", "class", "role", "scope", "tabindex", "aria-label",
    "aria-labelledby", "id", "viewBox", "width", "height", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "points",
    "text-anchor", "download", "href"}


class Reader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.problems, self.open, self.ids, self.referred = [], [], [], []
        self.sections, self.section, self.heading = {}, None, None
        self.figures, self.csv, self.policy, self.title = 0, None, None, ""
        self.cells, self.columns, self.labelled = 0, 0, {}

    def complain(self, what):
        self.problems.append(f"line {self.getpos()[0]}: {what}")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_starttag(self, tag, attributes):
        names = dict(attributes)
        if tag not in KNOWN:
            self.complain(f"the element {tag}")
        for name, value in attributes:
            if name.lower() not in {each.lower() for each in ATTRIBUTES}:
                self.complain(f"the attribute {name}")
            if name == "href":
                if not value.startswith("data:text/csv;base64,"):
                    self.complain(f"a reference to {value[:60]}")
                else:
                    self.csv = base64.b64decode(value.split(",", 1)[1], validate=True).decode()
        if "id" in names:
            self.ids.append(names["id"])
        self.referred += names.get("aria-labelledby", "").split()
        if tag == "meta" and names.get("http-equiv") == "Content-Security-Policy":
            self.policy = names["content"]
        if tag == "svg":
            self.figures += 1
            if names.get("role") != "img" or len(names.get("aria-labelledby", "").split()) != 2:
                self.complain("a drawing without title and description")
        if tag == "table":
            self.columns = 0
        if tag == "th":
            self.columns += 1
            if names.get("scope") != "col":
                self.complain("a table's heading without its scope")
        if tag == "tr":
            self.cells = 0
        if tag == "td":
            self.cells += 1
        if tag == "section":
            self.section = ""
        if tag in ("h1", "h2"):
            self.heading = ""
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open[-1] != tag:
            self.complain(f"</{tag}> closes {self.open[-1:]}")
        else:
            self.open.pop()
        if tag == "tr" and self.cells not in (0, self.columns):
            self.complain(f"a row of {self.cells} cells below {self.columns} headings")
        if tag == "h2":
            if self.heading in self.sections:
                self.complain(f"two sections are called {self.heading}")
            self.sections[self.heading] = ""
            self.section = self.heading
            self.heading = None
        if tag == "h1":
            self.title = self.heading
            self.heading = None

    def handle_data(self, data):
        if self.heading is not None:
            self.heading += data
        elif self.section:
            self.sections[self.section] += data
        for each in data:
            if unicodedata.category(each) in ("Cc", "Cf") and each not in "\n\t":
                self.complain(f"the character U+{ord(each):04X}")


def main():
    with open(sys.argv[1], encoding="utf-8", newline="") as file:
        text = file.read()
    reader = Reader()
    try:
        ElementTree.fromstring(text.encode())
    except ElementTree.ParseError as error:
        reader.problems.append(f"not well-formed: {error}")
    reader.feed(text)
    reader.close()
    if reader.open:
        reader.problems.append(f"left open: {reader.open}")
    if reader.policy != POLICY:
        reader.problems.append(f"the policy is {reader.policy}")
    if len(set(reader.ids)) != len(reader.ids):
        reader.problems.append("an id occurs twice")
    reader.problems += [f"nothing has the id {each}" for each in reader.referred if each not in reader.ids]
    if text.count("<h1>") != 1 or not reader.title:
        reader.problems.append("there is no single title")
    for word in ("url(", "@import", "http:", "https:"):
        if word in text.replace("http://www.w3.org/2000/svg", "").replace("http://www.w3.org/1999/xhtml", ""):
            reader.problems.append(f"it holds {word}")
    if "prefers-color-scheme: dark" not in text or "@media print" not in text:
        reader.problems.append("it has no dark or no printed form")
    json.dump({"problems": reader.problems, "title": reader.title, "sections": reader.sections,
               "figures": reader.figures, "csv": reader.csv}, sys.stdout)


main()
