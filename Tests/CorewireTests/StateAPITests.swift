import Corewire
import Foundation
import Support
import Testing

@Suite("App data through the Swift API")
struct StateAPITests {
    private struct Draft: Codable, Equatable {
        var title: String
        var due: Date?
        var tags: [String] = []
    }

    @Test("a value is the same as over the socket, byte for byte, with its type and version")
    func sharedWithOthers() async throws {
        let program = try await EmbeddedProgram()
        let notes = program.corewire.state["notes"]
        let bytes = (0...255).map(UInt8.init)
        let receipt = try await notes.put(bytes: bytes, type: "image/png", under: "a/b")
        #expect(receipt.isNew)
        let answer = try await program.ask("GET", "/v1/state/notes/a/b")
        #expect(answer.body == bytes)
        #expect(answer["ETag"] == "\"\(receipt.version)\"")
        #expect(answer["Content-Type"] == "image/png")

        let put = try await program.ask("PUT", "/v1/state/notes/c", ["Content-Type: text/plain"], text: "grüezi")
        let entry = try #require(try await notes.get("c"))
        #expect(entry.text == "grüezi")
        #expect(entry.type == "text/plain")
        #expect(put["ETag"] == "\"\(entry.version)\"")
        #expect(entry.version > receipt.version)
        #expect(try await notes.summary(of: "c") == entry.summary)
        #expect(try await notes.remove("c"))
        #expect(try await !notes.remove("c"))
        #expect(try await notes.get("c") == nil)
        #expect(try await program.ask("GET", "/v1/state/notes/c").status == 404)
        await program.stop()
    }

    @Test("values of the program's types are stored as JSON, and decoded unchanged")
    func json() async throws {
        let program = try await EmbeddedProgram()
        let notes = program.corewire.state["notes"]
        let draft = Draft(title: "a/b \"ü\"", due: Date(timeIntervalSince1970: 1_700_000_000.25), tags: ["x"])
        try await notes.put(json: draft, under: "draft")
        let answer = try await program.ask("GET", "/v1/state/notes/draft")
        #expect(answer["Content-Type"] == "application/json")
        #expect(answer.text == #"{"due":"2023-11-14T22:13:20.250Z","tags":["x"],"title":"a/b \"ü\""}"#)
        #expect(try await notes.get("draft", as: Draft.self) == draft)
        let theirs = #"{"title":"t","due":"2023-11-14T22:13:20Z","tags":[],"more":1}"#
        #expect(try await program.ask("PUT", "/v1/state/notes/theirs", text: theirs).status == 201)
        let read: Draft? = try await notes.get("theirs")
        #expect(read == Draft(title: "t", due: Date(timeIntervalSince1970: 1_700_000_000)))
        #expect(try await notes.get("none", as: Draft.self) == nil)
        await program.stop()
    }

    @Test(
        "JSON that does not decode is reported with its place and without its content",
        arguments: [
            (#"{"title":"hush","tags":[1]}"#, " at 'tags.0': expected a value for String"),
            (#"{"tags":["hush"]}"#, ": expected a member 'title'"),
            (#"{"title":null,"tags":["hush"]}"#, " at 'title': found null, expected String"),
            (#"{"title":"t","tags":[],"due":"hush"}"#, " at 'due'"), (#"{"hush"#, ""),
            (String(repeating: "[", count: 4_000), ""),
        ]
    )
    func malformed(json: String, problem: String) async throws {
        let program = try await EmbeddedProgram()
        let notes = program.corewire.state["notes"]
        try await notes.put(text: json, under: "d")
        let error = await #expect(throws: CorewireError.self) { try await notes.get("d", as: Draft.self) }
        #expect(error?.code == .malformed)
        #expect(error?.description == "the value of 'd' is not a Draft\(problem)")
        #expect(error?.cause is DecodingError)
        let infinite = await #expect(throws: CorewireError.self) {
            try await notes.put(json: ["x": Double.infinity], under: "d")
        }
        #expect(infinite?.code == .malformed)
        #expect(infinite?.description.hasSuffix(" at 'x'") == true)
        #expect(try await notes.get("d")?.text == json)
        await program.stop()
    }

    @Test("a condition is evaluated atomically, whoever changes the entry")
    func conditions() async throws {
        let program = try await EmbeddedProgram()
        let notes = program.corewire.state["notes"]
        let first = try await notes.put(text: "1", under: "k", if: .absent)
        await fails(.preconditionFailed) { try await notes.put(text: "2", under: "k", if: .absent) }
        await fails(.preconditionFailed) { try await notes.put(text: "2", under: "none", if: .present) }
        #expect(try await program.ask("PUT", "/v1/state/notes/k", text: "theirs").status == 200)
        await fails(.preconditionFailed) { try await notes.put(text: "2", under: "k", if: .version(first.version)) }
        await fails(.preconditionFailed) { try await notes.remove("k", if: .version(first.version)) }
        let theirs = try #require(try await notes.summary(of: "k"))
        let second = try await notes.put(text: "2", under: "k", if: .version(theirs.version))
        #expect(!second.isNew)
        let kept = Corewire.StateVersion(second.version.number)
        #expect(try await notes.remove("k", if: .version(kept)))
        await program.stop()
    }

    @Test("a lifetime is reported, and is at most that of the namespace")
    func lifetimes() async throws {
        let program = try await EmbeddedProgram()
        let state = program.corewire.state
        let short = try await state["notes"].put(text: "x", under: "k", for: .seconds(3_600))
        #expect(try abs(#require(short.expires).timeIntervalSince(short.modified) - 3_600) < 0.001)
        #expect(try await state["notes"].put(text: "x", under: "l").expires == nil)
        let declared = try await state["drafts"].put(text: "x", under: "k")
        #expect(try abs(#require(declared.expires).timeIntervalSince(declared.modified) - 60) < 0.001)
        let longer = await fails(.badLifetime) {
            try await state["drafts"].put(text: "x", under: "k", for: .seconds(61))
        }
        #expect(longer?.setting?.path == "persistence.namespaces.drafts.ttl")
        #expect(longer?.setting?.place.hasSuffix("/services.yaml:8:20") == true)
        await fails(.badLifetime) { try await state["notes"].put(text: "x", under: "k", for: .zero) }
        await program.stop()
    }

    @Test("lists are paginated in order, and contain every entry")
    func pages() async throws {
        let program = try await EmbeddedProgram()
        let notes = program.corewire.state["notes"]
        for number in 10..<17 { try await notes.put(text: "\(number)", under: "n\(number)") }
        try await notes.put(text: "x", under: "other")
        var keys: [String] = []
        var next: String?
        var count = 0
        repeat {
            let page = try await notes.list(prefix: "n", after: next, limit: 3)
            keys += page.elements.map(\.key)
            (next, count) = (page.next, count + 1)
        } while next != nil
        #expect(keys == (10..<17).map { "n\($0)" })
        #expect(count == 3)
        let namespaces = try await program.corewire.state.namespaces(limit: 3)
        #expect(namespaces.elements.map(\.namespace) == ["drafts", "few", "notes"])
        #expect(namespaces.elements.map(\.entries) == [0, 0, 8])
        #expect(namespaces.elements.map(\.isDeclared) == [true, true, false])
        #expect(
            try await program.corewire.state.namespaces(after: namespaces.next).elements.map(\.namespace) == ["shared"]
        )
        for limit in [0, -1, 1_001, .max] {
            await fails(.invalid) { try await notes.list(limit: limit) }
            await fails(.invalid) { try await program.corewire.state.namespaces(limit: limit) }
        }
        #expect(try await notes.clear() == 8)
        #expect(try await notes.list().elements.isEmpty)
        await program.stop()
    }

    @Test("a write that the file does not allow is rejected with a code")
    func refusals() async throws {
        let program = try await EmbeddedProgram()
        let state = program.corewire.state
        for name in ["", "a b", "../x", "state/x", String(repeating: "n", count: 65)] {
            await fails(.badName) { try await state[name].get("k") }
            await fails(.badName) { try await state[name].changes() }
        }
        for key in ["", "a/../b", "a\u{0}b", String(repeating: "k", count: 513)] {
            await fails(.badName) { try await state["notes"].put(text: "x", under: key) }
            await fails(.badName) { try await state["notes"].get(key) }
        }
        for type in ["", "text", "text/plain\r\nX: y", String(repeating: "t", count: 300) + "/x"] {
            await fails(.invalid) { try await state["notes"].put(bytes: [], type: type, under: "k") }
        }
        let large = [UInt8](repeating: 0x78, count: 4_097)
        await fails(.valueTooLarge) { try await state["notes"].put(bytes: large, under: "k") }
        try await state["few"].put(text: "x", under: "1")
        let full = await fails(.full) { try await state["few"].put(text: "x", under: "2") }
        #expect(full?.setting?.path == "persistence.namespaces.few.maxEntries")
        await program.stop()
    }

    @Test("without the section calls fail, until a reload adds it")
    func absent() async throws {
        let program = try await EmbeddedProgram(sections: "")
        let notes = program.corewire.state["notes"]
        let error = await fails(.noService) { try await notes.get("k") }
        #expect(error?.description.hasSuffix("services.yaml' has no section 'persistence'") == true)
        try program.write(sections: "persistence: { onlyDeclared: true, namespaces: { drafts: {} } }")
        try await program.corewire.reload()
        await fails(.undeclaredNamespace) { try await notes.get("k") }
        try program.write(sections: "persistence: {}")
        try await program.corewire.reload()
        #expect(try await notes.get("k") == nil)
        await program.stop()
        await fails(.stopped) { try await notes.get("k") }
        await fails(.stopped) { try await notes.changes() }
    }

    @Test("each environment has its own entries, and a handle uses those of the current one")
    func environments() async throws {
        let program = try await EmbeddedProgram()
        let state = program.corewire.state
        try await state["notes"].put(text: "dev", under: "k")
        try await state["shared"].put(text: "all", under: "k")
        try await program.corewire.use(environment: "prod")
        #expect(try await state["notes"].get("k") == nil)
        #expect(try await state["shared"].get("k")?.text == "all")
        try await state["notes"].put(text: "prod", under: "k")
        #expect(try await program.ask("GET", "/v1/state/notes/k").text == "prod")
        try await program.corewire.use(environment: "dev")
        #expect(try await state["notes"].get("k")?.text == "dev")
        await program.stop()
    }

    @discardableResult
    private func fails<Value>(
        _ code: CorewireError.Code,
        _ work: () async throws -> Value,
        _ location: SourceLocation = #_sourceLocation
    ) async -> CorewireError? {
        let error = await #expect(throws: CorewireError.self, sourceLocation: location) { _ = try await work() }
        #expect(error?.code == code, "\(error?.description ?? "")", sourceLocation: location)
        return error
    }
}
