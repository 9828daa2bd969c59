// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/config_file.hpp"
#include "tests/catch.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace holdfast;
using Format = ConfigFormat;

namespace {

struct Row {
    std::string before, key;
    Value value;
    std::string after;
};

std::string text(const char* words) {
    return words;
}

/// Each row gives `after`, which then stays as it is, and whose value reads back.
void check_rows(Format format, const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        INFO(to_text(format) << " " << row.key << " = " << to_text(row.value) << " in:\n" << row.before);
        const auto after = set_config(format, row.before, row.key, row.value);
        if (!after)
            FAIL(after.error().message());
        CHECK(*after == row.after);
        CHECK(set_config(format, *after, row.key, row.value).value() == *after);
        CHECK(get_config(format, *after, row.key).value().has_value());
    }
}

struct Refusal {
    Format format;
    std::string before, key;
    Value value;
    std::string found;
};

const std::string ini_text =
    "; top\r\nname = x\r\n\r\n[cache]\r\n  size = 64   ; in MiB\r\npath='/a b'\r\n\r\n[empty]\r\n";

} // namespace

TEST_CASE("an ini file keeps everything but the value") {
    const std::int64_t n = 128;
    check_rows(Format::ini,
               {
                   {ini_text, "cache.size", n,
                    "; top\r\nname = x\r\n\r\n[cache]\r\n  size = 128   ; in MiB\r\npath='/a b'\r\n\r\n[empty]\r\n"},
                   {ini_text, "cache.path", text("/c d"),
                    "; top\r\nname = x\r\n\r\n[cache]\r\n  size = 64   ; in MiB\r\npath='/c d'\r\n\r\n[empty]\r\n"},
                   {ini_text, "empty.level", n, ini_text + "level=128\r\n"},
                   {ini_text, "other", n,
                    "; top\r\nname = x\r\nother = 128\r\n\r\n[cache]\r\n  size = 64   ; in MiB\r\npath='/a "
                    "b'\r\n\r\n[empty]\r\n"},
                   {"a=1", "a", n, "a=128"},
                   {"", "a", n, "a = 128\n"},
                   {"[s]", "s.a", n, "[s]\na = 128"},
                   {"a=1\nb=2", "c", n, "a=1\nb=2\nc=128"},
                   {"# head\n\n# about s\n[s]\nx = 1\n", "a", n, "# head\n\na = 128\n# about s\n[s]\nx = 1\n"},
                   {"[s]\n;a=1\nb=2\n", "s.a", n, "[s]\n;a=1\na=128\nb=2\n"},
                   {"[s]\nb=2\n[t]\n#a: 1\n", "t.a", n, "[s]\nb=2\n[t]\n#a: 1\na: 128\n"},
                   {"[a.b]\nc.d : 1\n", "a.b.c.d", n, "[a.b]\nc.d : 128\n"},
                   {"[s] ; note\nMax Clients = 5\n", "s.Max Clients", n, "[s] ; note\nMax Clients = 128\n"},
                   {"a = #fff\n", "a", text("#000"), "a = #000\n"},
                   {"a = # nothing\n", "a", text("x"), "a = x # nothing\n"},
                   {"a = on\n", "a", false, "a = off\n"},
                   {"a = True\n", "a", false, "a = False\n"},
                   {"a = 1\n", "a", true, "a = 1\n"},
                   {"a = 0.50\n", "a", 0.5, "a = 0.50\n"},
                   {"\xef\xbb\xbf"
                    "a = 1\n",
                    "a", n,
                    "\xef\xbb\xbf"
                    "a = 128\n"},
                   {"naïve = é\n", "naïve", text("ü"), "naïve = ü\n"},
                   {"[smb]\n\ta = 1\n\tb = 2\n", "smb.c", n, "[smb]\n\ta = 1\n\tb = 2\n\tc = 128\n"},
                   {"a = C:\\dir\\\\x\n", "a", text("D:\\y"), "a = D:\\y\n"},
               });
}

TEST_CASE("a conf file takes the separator that is there") {
    const std::int64_t n = 7;
    check_rows(Format::conf, {
                                 {"threads 4\n", "threads", n, "threads 7\n"},
                                 {"threads=4 # four\n", "threads", n, "threads=7 # four\n"},
                                 {"threads:\t4\n", "threads", n, "threads:\t7\n"},
                                 {"vm.swappiness = 60\n", "vm.swappiness", n, "vm.swappiness = 7\n"},
                                 {"net.a=1\n", "net.b", n, "net.a=1\nnet.b=7\n"},
                                 {"# threads is a number\n#threads 4\nother 1\n", "threads", n,
                                  "# threads is a number\n#threads 4\nthreads 7\nother 1\n"},
                                 {"words one two # three\n", "words", text("four five"), "words four five # three\n"},
                                 {"\n\n# only comments\n", "a", n, "\n\n# only comments\na = 7\n"},
                                 {"a \"x\"\n", "a", text("y # z"), "a \"y # z\"\n"},
                             });
}

TEST_CASE("in postgresql.conf the last setting counts and values are quoted when they must be") {
    const std::string included = "include 'other.conf'\nwork_mem = 4MB # low\ninclude_dir 'conf.d'\n";
    check_rows(
        Format::postgresql,
        {
            {included, "work_mem", text("8MB"), "include 'other.conf'\nwork_mem = 8MB # low\ninclude_dir 'conf.d'\n"},
            {"work_mem = '4MB'\n", "work_mem", text("8MB"), "work_mem = '8MB'\n"},
            {"a = 1\na = 2\n", "a", std::int64_t{3}, "a = 1\na = 3\n"},
            {"Work_Mem 4096\n", "work_mem", std::int64_t{8192}, "Work_Mem 8192\n"},
            {"#work_mem = 4MB\t\t\t# min 64kB\n#x = 1\n", "work_mem", text("8MB"),
             "#work_mem = 4MB\t\t\t# min 64kB\nwork_mem = 8MB\n#x = 1\n"},
            {"#log_line_prefix = '%m'\n", "log_line_prefix", text("it's \\ %m"),
             "#log_line_prefix = '%m'\nlog_line_prefix = 'it''s \\\\ %m'\n"},
            {"a = on\n", "a", false, "a = off\n"},
            {"", "jit", false, "jit = off\n"},
            {"a = 1#c\n", "a", text("two words"), "a = 'two words'#c\n"},
            {"pg_stat_statements.max = 5", "pg_stat_statements.max", std::int64_t{6}, "pg_stat_statements.max = 6"},
            {"random_page_cost = 4.0\n", "random_page_cost", 1.1, "random_page_cost = 1.1\n"},
        });
}

TEST_CASE("redis.conf directives have one value") {
    check_rows(Format::redis,
               {
                   {"save 900 1\nmaxmemory 100mb\nsave 60 5\n", "maxmemory", text("200mb"),
                    "save 900 1\nmaxmemory 200mb\nsave 60 5\n"},
                   {"# maxmemory <bytes>\n", "maxmemory", text("1gb"), "# maxmemory <bytes>\nmaxmemory 1gb\n"},
                   {"appendonly no\n", "appendonly", true, "appendonly yes\n"},
                   {"", "appendonly", true, "appendonly yes\n"},
                   {"RequirePass \"a b\"\n", "requirepass", text("c \"d\" \\"), "RequirePass \"c \\\"d\\\" \\\\\"\n"},
                   {"pidfile /a\n", "pidfile", text("/a b"), "pidfile \"/a b\"\n"},
                   {"hz 10", "hz", std::int64_t{20}, "hz 20"},
               });
}

TEST_CASE("json values are replaced where they stand, comments and kinds kept") {
    const std::string json =
        "{ // top\n  \"a\" : { \"b\": 1, /* x */ \"c\": \"two\" },\n  \"l\": [1, {\"d\": true}],\n  \"n\": null\n}";
    const auto with = [&](const std::string& from, const std::string& to) {
        return std::string(json).replace(json.find(from), from.size(), to);
    };
    check_rows(Format::json, {
                                 {json, "a.b", std::int64_t{5}, with("1,", "5,")},
                                 {json, "/a/b", 0.25, with("1,", "0.25,")},
                                 {json, "a.c", text("é\"\\"), with("\"two\"", "\"é\\\"\\\\\"")},
                                 {json, "a.c", std::int64_t{5}, with("\"two\"", "\"5\"")},
                                 {json, "a.b", text("16"), with("1,", "16,")},
                                 {json, "a.b", text("auto"), with("1,", "\"auto\",")},
                                 {json, "/l/1/d", false, with("true", "false")},
                                 {json, "n", std::int64_t{1}, with("null", "1")},
                                 {"{\"a.b\": 1, \"a/b\": 2}", "a.b", std::int64_t{3}, "{\"a.b\": 3, \"a/b\": 2}"},
                                 {"{\"a.b\": 1, \"a/b\": 2}", "/a~1b", std::int64_t{3}, "{\"a.b\": 1, \"a/b\": 3}"},
                                 {"\xef\xbb\xbf{\"é\": 1}\r\n", "é", std::int64_t{2}, "\xef\xbb\xbf{\"é\": 2}\r\n"},
                             });
    CHECK(replace_json(json, "/l/1", "[]").value() == with("{\"d\": true}", "[]"));
    CHECK(replace_json(json, "", "7").value() == "7");
    CHECK_FALSE(replace_json(json, "/a/z", "1"));
    CHECK_FALSE(replace_json(json, "/a/b", "1, \"x\": 2"));
    CHECK_FALSE(replace_json("{\"a\": 1, \"a\": 2}", "/a", "3"));
}

TEST_CASE("yaml block mappings keep their shape") {
    const std::int64_t n = 9;
    const std::string yaml =
        "---\n# top\nserver:\n  threads: 4 # four\n  name: 'x'\n  # cache: 5\n  list:\n  - threads: 1\n"
        "  - [a, b]\nother: \"a: b\"\ntext: |\n  threads: 3\n\n  # no\nempty:\n";
    const auto with = [&](const std::string& from, const std::string& to) {
        return std::string(yaml).replace(yaml.find(from), from.size(), to);
    };
    check_rows(Format::yaml, {
                                 {yaml, "server.threads", n, with("4 #", "9 #")},
                                 {yaml, "server.name", text("it's"), with("'x'", "'it''s'")},
                                 {yaml, "server.cache", n, with("# cache: 5\n", "# cache: 5\n  cache: 9\n")},
                                 {yaml, "server.more", n, with("  - [a, b]\n", "  - [a, b]\n  more: 9\n")},
                                 {yaml, "other", text("c # d"), with("\"a: b\"", "\"c # d\"")},
                                 {yaml, "empty", n, with("empty:", "empty: 9")},
                                 {yaml, "new", text("no"), yaml + "new: \"no\"\n"},
                                 {"a: yes\n", "a", text("no"), "a: no\n"},
                                 {"a: x\n", "a", text("- y: z"), "a: \"- y: z\"\n"},
                                 {"a: 1.0\r\nb: 2", "a", 1e-5, "a: 1.0e-05\r\nb: 2"},
                                 {"\"a b\": 1\n", "a b", n, "\"a b\": 9\n"},
                                 {"", "a", true, "a: true\n"},
                                 {"a:\n    b:\n        c: 1\n    d: 2\n", "a.b.e", n,
                                  "a:\n    b:\n        c: 1\n        e: 9\n    d: 2\n"},
                                 {"a: # c\n", "a", n, "a: 9 # c\n"},
                                 {"a: &x\n  b: 1\n", "a.c", n, "a: &x\n  b: 1\n  c: 9\n"},
                                 {"url: http://x/#y\n", "url", text("http://z"), "url: http://z\n"},
                             });
}

TEST_CASE("toml tables keep their shape") {
    const std::int64_t n = 9;
    const std::string toml =
        "title = \"a # b\"\n[server]\nthreads = 4 # four\n# cache = 5\nlist = [\n  1, # one ]\n  \"x]\",\n]\n\n"
        "[server.\"deep.er\"]\nreal = 1.5\n[[job]]\nthreads = 1\n[[job]]\nthreads = 2\n";
    const auto with = [&](const std::string& from, const std::string& to) {
        return std::string(toml).replace(toml.find(from), from.size(), to);
    };
    check_rows(Format::toml, {
                                 {toml, "server.threads", n, with("4 #", "9 #")},
                                 {toml, "server.cache", n, with("# cache = 5\n", "# cache = 5\ncache = 9\n")},
                                 {toml, "server.more", n, with("]\n\n", "]\nmore = 9\n\n")},
                                 {toml, "server.deep.er.real", 2.0, with("1.5", "2.0")},
                                 {toml, "title", text("say \"x\"\\"), with("\"a # b\"", "\"say \\\"x\\\"\\\\\"")},
                                 {toml, "top", text("x"), with("[server]", "top = \"x\"\n[server]")},
                                 {"a = 'x'\r\n", "a", text("y\\z"), "a = 'y\\z'\r\n"},
                                 {"a = 'x'\n", "a", text("it's"), "a = \"it's\"\n"},
                                 {"a = 1_000\n", "a", std::int64_t{1000}, "a = 1_000\n"},
                                 {"a.b = 1\n", "a.b", n, "a.b = 9\n"},
                                 {"a = \"\"\"\nb = 2\n\"\"\"\nb = 3", "b", n, "a = \"\"\"\nb = 2\n\"\"\"\nb = 9"},
                                 {"a = true\n", "a", false, "a = false\n"},
                                 {"", "a", text("1"), "a = \"1\"\n"},
                             });
}

TEST_CASE("a marked place of any text is set and can be set again") {
    const std::int64_t n = 8;
    check_rows(Format::text,
               {
                   {"worker_connections 1024; # @conns:connections {};@\n", "conns", n,
                    "worker_connections 8; # @conns:connections {};@\n"},
                   {"#define CACHE 512 /* @cache: CACHE {} @ */\r\n", "cache", n,
                    "#define CACHE 8 /* @cache: CACHE {} @ */\r\n"},
                   {"x\njava -Xmx512m -jar a # @heap:-Xmx{}m@", "heap", n, "x\njava -Xmx8m -jar a # @heap:-Xmx{}m@"},
                   {"<s a='1'>two words</s> <!-- @s:<s a='1'>{}</s>@ -->\n", "s", text("é à"),
                    "<s a='1'>é à</s> <!-- @s:<s a='1'>{}</s>@ -->\n"},
                   {"a 1 b 2 # @x:a {}@ @y:b {}@\n", "y", n, "a 1 b 8 # @x:a {}@ @y:b {}@\n"},
               });
}

TEST_CASE("what an editor does not understand or a format cannot hold is refused with its reason") {
    const std::int64_t n = 1;
    const std::vector<Refusal> rows{
        {Format::ini, "a=1\n[s]\na=2\n[s]\na=3\n", "s.a", n, "in line 3 and again in line 5"},
        {Format::ini, "[s]\na=1\n", "t.a", n, "no section \"t\""},
        {Format::ini, "a =\n", "a", text("x\ny"), "line break"},
        {Format::ini, "a = x\n", "a", text("y ; z"), "cannot hold"},
        {Format::ini, "a = x\n", "a", text(" y"), "cannot hold"},
        {Format::ini, "a = x\n", "a", text("\"y\""), "cannot hold"},
        {Format::ini, "a = 'x'\n", "a", text("it's"), "between quotes"},
        {Format::ini, "a = x\n  b = 2\n", "a", text("y"), "goes on in the next line"},
        {Format::ini, "a = x\n  b = 2\n", "b", text("y"), "belong to the value above"},
        {Format::ini, "[s\na=1\n", "a", n, "without its ]"},
        {Format::ini, "skip\n", "skip", n, "without a value"},
        {Format::ini, "a=4k\n", "a", n, "has a unit"},
        {Format::conf, "workers 4;\n", "workers", n, "a language with ;"},
        {Format::conf, "a x \\\n  y\n", "a", n, "goes on in the next line"},
        {Format::conf, std::string("a 1\0", 4), "a", n, "binary"},
        {Format::conf, "a 1\n", "", n, "empty"},
        {Format::postgresql, "include 'x'\n", "include", n, "ambiguous"},
        {Format::postgresql, "work_mem = '4MB'\n", "work_mem", std::int64_t{8}, "4MB has a unit"},
        {Format::redis, "save 900 1\n", "save", text("60 1"), "ambiguous"},
        {Format::redis, "oom-score-adj-values 0 200 800\n", "oom-score-adj-values", n, "several values"},
        {Format::redis, "hz 1\nhz 2\n", "hz", std::int64_t{3}, "again in line 2"},
        {Format::json, "{\"a\": 1}", "b", n, "no such value"},
        {Format::json, "", "b", n, "line 1"},
        {Format::json, "{\"a\": [1]}", "a", n, "an array"},
        {Format::json, "{\"a\": {\"b\": 1}, \"a.b\": 2}", "a.b", n, "it could be"},
        {Format::json, "{\"a\": 1, \"a\": 2}", "a", n, "written again in line 1"},
        {Format::yaml, "a: 1\na: 2\n", "a", n, "again in line 2"},
        {Format::yaml, "a:\n  b: 1\n", "a", n, "a mapping, not a value"},
        {Format::yaml, "a:\n- 1\n", "a", n, "a list"},
        {Format::yaml, "a: x\n  y\n", "a", n, "goes on in the next line"},
        {Format::yaml, "a: |\n  x\n", "a", n, "several lines"},
        {Format::yaml, "a: &x 1\n", "a", n, "an anchor"},
        {Format::yaml, "a: &x 1\n", "a.b", n, "no section"},
        {Format::yaml, "a: {b: 1}\n", "a.b", n, "no section"},
        {Format::yaml, "{a: 1}\n", "a", n, "neither"},
        {Format::yaml, "a: [1,\n  2]\n", "b", n, "does not end"},
        {Format::yaml, "a: 1\n---\na: 2\n", "a", n, "more than one document"},
        {Format::yaml, "\ta: 1\n", "a", n, "a tab"},
        {Format::yaml, "a:\n  - b: 1\n", "a.b", n, "no section"},
        {Format::toml, "[[j]]\na = 1\n", "j.a", n, "no section"},
        {Format::toml, "a = [1, 2]\n", "a", n, "an array"},
        {Format::toml, "a = \"\"\"x\"\"\"\n", "a", n, "several lines"},
        {Format::toml, "a = \"x\nb = 1\n", "b", n, "does not end"},
        {Format::toml, "nothing\n", "a", n, "neither a table"},
        {Format::text, "a 1\n", "k", n, "no line is marked"},
        {Format::text, "a 1 # @k:a {}@\nb 2 # @k:b {}@\n", "k", n, "second time"},
        {Format::text, "a a 2 # @k:a {}@\n", "k", n, "more than once"},
        {Format::text, "a 2 # @k:{}@\n", "k", n, "no text"},
        {Format::text, "a 2 # @k:a {}@\n", "k", text("3 4"), "cannot hold"},
    };
    for (const Refusal& row : rows) {
        INFO(to_text(row.format) << " " << row.key << " in:\n" << row.before);
        const auto result = set_config(row.format, row.before, row.key, row.value);
        if (result)
            FAIL(*result);
        CHECK(result.error().kind == Error::Kind::failed);
        CHECK_FALSE(result.error().remedy.empty());
        CHECK_THAT(result.error().message(), ContainsSubstring(row.found));
    }
}

TEST_CASE("a key that is not set reads as nothing") {
    CHECK(get_config(Format::ini, "#a=1\n", "a").value() == std::nullopt);
    CHECK(get_config(Format::json, "{}", "a").value() == std::nullopt);
    CHECK(get_config(Format::yaml, "b: 1\n", "a").value() == std::nullopt);
    CHECK(get_config(Format::text, "x", "a").value() == std::nullopt);
    CHECK(get_config(Format::postgresql, "a = 'it''s'\n", "A").value() == "it's");
    CHECK(get_config(Format::toml, "a = \"\\u00e9\"", "a").value() == "é");
}

TEST_CASE("one line of ten thousand changes") {
    for (const Format format :
         {Format::ini, Format::conf, Format::postgresql, Format::redis, Format::yaml, Format::toml}) {
        const std::string separator = format == Format::yaml ? ": " : format == Format::redis ? " " : " = ";
        std::string before;
        for (int i = 0; i < 10'000; ++i)
            before += "key" + std::to_string(i) + separator + std::to_string(i) + "\n";
        const std::string old = "key7777" + separator + "7777\n";
        const std::string after =
            std::string(before).replace(before.find(old), old.size(), "key7777" + separator + "5\n");
        CHECK(set_config(format, before, "key7777", std::int64_t{5}).value() == after);
    }
}

TEST_CASE("every format has a word") {
    for (const auto word : config_format_words())
        CHECK(to_text(config_format(word).value()) == word);
    CHECK_FALSE(config_format("xml"));
}
