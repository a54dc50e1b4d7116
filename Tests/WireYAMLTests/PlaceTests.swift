import Testing
import WireBase
import WireConfig

@Suite("Places of nodes")
struct PlaceTests {
    @Test("columns count characters")
    func columns() {
        let text = ReadText("a: \"🎉🎉\"   # ü\nlist: [ä, ö, \"x\\ty\"]\nmap: {é: 1, b: 2}\n")
        #expect(text.start("a") == [1, 4])
        #expect(text.start("list", "0") == [2, 8])
        #expect(text.start("list", "2") == [2, 14])
        #expect(text.start("map", "b") == [3, 16])
        #expect(text.written("a") == "\"🎉🎉\"")
        #expect(text.written("list", "1") == "ö")
    }

    @Test("lines end at LF, CRLF and CR", arguments: ["\n", "\r\n", "\r"])
    func lineEnds(end: String) {
        let text = ReadText(["a: 1", "b:", "  c: 2", ""].joined(separator: end))
        #expect(text.start("b", "c") == [3, 6])
        #expect(text.value() == "{ \"a\": 1, \"b\": { \"c\": 2 } }")
    }

    @Test("a byte order mark is not part of the text")
    func byteOrderMark() {
        let text = ReadText([0xef, 0xbb, 0xbf] + Array("a: 1".utf8))
        #expect(text.start("a") == [1, 4])
        #expect(text.problems.isEmpty)
    }

    @Test("a block scalar keeps its text and begins at its indicator")
    func blockScalars() {
        let text = ReadText("a: |\n  one\n  two\nb: >-\n  three\n  four\n")
        #expect(text.value("a") == "\"one\\ntwo\\n\"")
        #expect(text.value("b") == "\"three four\"")
        #expect(text.start("b") == [4, 4])
    }

    @Test("an alias has its own place, and its value the anchor's")
    func aliases() throws {
        let text = ReadText("a: &x {k: 1}\nb: *x\n")
        let alias = try #require(text.node("b"))
        #expect(text.document.place(alias).start.line == 2)
        #expect(text.start("b", "k") == [1, 11])
        #expect(text.value("b") == "{ \"k\": 1 }")
    }

    @Test("anchors and tags are not part of the value")
    func properties() {
        let text = ReadText("a: &x 2 minutes\nb: &y # why\n  c: &z\n    - \"d\"\ne: &w {f: &v}\n")
        #expect(text.written("a") == "2 minutes")
        #expect(text.start("b") == [3, 3])
        #expect(text.start("b", "c") == [4, 5])
        #expect(text.written("b", "c", "0") == "\"d\"")
        #expect(text.start("e") == [5, 7])
        #expect(text.written("e", "f")?.isEmpty == true)
        #expect(text.problems.isEmpty)
        let tagged = ReadText("a: &x !!str yes\n")
        #expect(tagged.problems.first?.place?.start.column == 7)
        #expect(tagged.written("a") == "yes")
    }

    @Test("merge keys add entries with their places, and never override the mapping's own")
    func mergeKeys() {
        let text = ReadText("base: &b {x: 1, y: 2}\nmore: &m {y: 3, z: 4}\nall:\n  <<: [*b, *m]\n  x: 9\n")
        #expect(text.value("all") == "{ \"x\": 9, \"y\": 2, \"z\": 4 }")
        #expect(text.start("all", "z") == [2, 20])
        #expect(text.problems.isEmpty)
    }
}
