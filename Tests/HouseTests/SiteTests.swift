import Foundation
import Support
import Testing

/// What the tests of the site take.
private enum SiteTools {
    static let python = Repository.root.appendingPathComponent(".build/python/bin/python3").path
    static let canBuild = (try? Program.run(python, ["-c", "import furo, mermaidx, myst_parser"]).status) == 0
    static let canBrowse =
        Program.isInstalled("chromium")
        && (try? Program.run(python, ["-c", "import playwright"]).status) == 0
}

@Suite("The documentation site", .enabled(if: SiteTools.canBuild))
struct SiteTests {
    @Test(
        "the site shows diagrams, ungrouped pages, and linked files; the search finds a page",
        .enabled(if: SiteTools.canBrowse)
    )
    func built() throws {
        let folder = try Self.repository([
            "README.md": "# Home\n\n```mermaid\nflowchart LR\n    app --> runner\n```\n\n[A file](Makefile)\n",
            "docs/unheard.md": "# Unheard\n\nA page about [home](../README.md), and the word xylophone.\n",
            "Makefile": "all:\n",
        ])
        let run = try Self.build(folder)
        #expect(run.status == 0, "\(run.everything)")
        #expect(
            run.errors == "note: docs/unheard.md is in no group of Scripts/docs-site; the site shows it under 'More'\n"
        )
        let home = try folder.text(of: ".build/site/index.html")
        #expect(home.contains(#"href="files/Makefile.html""#))
        #expect(home.contains(">More<") && home.contains(#"href="unheard.html""#))
        #expect(try folder.text(of: ".build/site/unheard.html").contains("mermaid.js") == false)
        let check = try Self.check(folder.url.appendingPathComponent(".build/site").path)
        #expect(check.status == 0, "\(check.everything)")
        let browser = try Program.run(
            SiteTools.python,
            [
                Repository.root.appendingPathComponent("Tests/HouseTests/Site/site_test.py").path,
                folder.url.appendingPathComponent(".build/site").path, "xylophone", "Unheard",
            ],
            environment: ["PYTHONDONTWRITEBYTECODE": "1"]
        )
        #expect(browser.status == 0, "\(browser.errors)")
    }

    @Test("a link to a missing file or anchor fails the build")
    func brokenLinks() throws {
        let file = try Self.build(try Self.repository(["README.md": "# Home\n\n[Away](docs/away.md)\n"]))
        #expect(file.status == 1)
        #expect(file.errors == "README.md:3: error: broken link: there is no 'docs/away.md'\n")
        let anchor = try Self.build(
            try Self.repository(["README.md": "# Home\n\n[A](docs/a.md#away)\n", "docs/a.md": "# A\n"])
        )
        #expect(anchor.status != 0)
        #expect(
            anchor.errors.contains("README.md:3: WARNING: local id not found in doc 'a': 'away'"),
            "\(anchor.errors)"
        )
    }

    @Test("a page that loads from another host, has a broken link, or no policy is rejected")
    func checked() throws {
        let policy = #"<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src 'self'">"#
        let folder = try TemporaryFolder()
        try folder.write(
            """
            \(policy)<a href="https://example.com/">allowed</a><a href="#here" id="here">here</a>
            <img src="https://example.com/a.png"><script src="//example.com/a.js"></script>
            <link rel="stylesheet" href="https://example.com/a.css"><p style="background: url(https://example.com/b.png)">
            <style>@import "https://example.com/b.css";</style><img srcset="https://example.com/c.png 2x">
            <a href="other.html#away">an anchor</a><a href="away.html">a page</a><img src="away.png">
            """,
            to: "index.html"
        )
        try folder.write(policy.replacing("'self'", with: "https:"), to: "other.html")
        try folder.write("@font-face { src: url('https://example.com/a.woff2') }", to: "a.css")
        let run = try Self.check(folder.url.path)
        #expect(run.status == 1)
        #expect(
            run.errors == """
                error: index.html:2: loads from another host: https://example.com/a.png
                error: index.html:2: loads from another host: //example.com/a.js
                error: index.html:3: loads from another host: https://example.com/a.css
                error: index.html:3: loads from another host: https://example.com/b.png
                error: index.html:4: loads from another host: https://example.com/b.css
                error: index.html:4: loads from another host: https://example.com/c.png
                error: index.html:5: loads a file that is missing: away.png
                error: index.html:5: broken link: other.html#away: other.html has no such anchor
                error: index.html:5: broken link: away.html
                error: other.html: no Content-Security-Policy that keeps scripts from loading from other hosts
                error: a.css: loads from another host: https://example.com/a.woff2

                """
        )
    }

    /// A repository with pages.
    static func repository(_ files: [String: String]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("docs"),
            withIntermediateDirectories: true
        )
        for (path, text) in files { try folder.write(text, to: path) }
        return folder
    }

    static func build(_ folder: TemporaryFolder) throws -> Run {
        try Program.run(script("docs-site"), ["--root", folder.url.path])
    }

    static func check(_ site: String) throws -> Run { try Program.run(script("check-site"), [site]) }

    static func script(_ name: String) -> String {
        Repository.root.appendingPathComponent("Scripts/\(name)").path
    }
}
