import Foundation
import Testing
import WireBase
import WireGraphQL

/// Texts that are made to exhaust the stack, the time or the memory of a server.
@Suite("Hostile GraphQL documents", .timeLimit(.minutes(5)))
struct HostileTests {
    static func nested(_ open: String, _ middle: String, _ close: String, _ depth: Int) -> String {
        String(repeating: open, count: depth) + middle + String(repeating: close, count: depth)
    }

    /// Does work on a thread with a stack of 512 KiB, as those of the runtime have.
    static func onSmallStack<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: work()) }
            thread.stackSize = 512 * 1024
            thread.start()
        }
    }

    static let deep: [(String, @Sendable (Int) -> String)] = [
        ("fields", { nested("{ best ", "", "}", $0) }),
        ("inline fragments", { "{ cat " + nested("{ ... on Cat ", "{ id }", "}", $0) + "}" }),
        ("lists", { "{ person(data: " + nested("[", "", "]", $0) + ") { id } }" }),
        ("objects", { "{ person(data: " + nested("{a: ", "1", "}", $0) + ") { id } }" }),
        ("inputs", { "{ search(where: " + nested("{any: [", "", "]}", $0) + ") { id } }" }),
        ("directives", { "{ cat @x(a: " + nested("{a: ", "1", "}", $0) + ") { id } }" }),
        ("types", { "query A($a: " + nested("[", "Int", "]", $0) + ") { cat { id } }" }),
        ("default values", { "type A { a(b: B = " + nested("{c: [", "1", "]}", $0) + "): C }" }),
        ("never closed", { nested("{a", "", "", $0) }),
    ]

    @Test("a deeply nested text is rejected, at any depth and on a small stack", arguments: deep.map(\.0))
    func depth(kind: String) async throws {
        let make = try #require(Self.deep.first { $0.0 == kind }?.1)
        for depth in [SyntaxLimits.file.depth + 1, 100_000] {
            let rule = await Self.onSmallStack { () -> Finding.Rule? in
                do throws(Finding) {
                    _ = try Parser.document(SourceFile(name: "a", bytes: Array(make(depth).utf8)))
                    return nil
                } catch { return error.rule }
            }
            #expect(rule == .limits)
        }
    }

    @Test(
        "a text of maximum depth is validated, printed and counted on a small stack",
        arguments: deep.map(\.0).dropLast()
    )
    func greatestDepth(kind: String) async throws {
        let make = try #require(Self.deep.first { $0.0 == kind }?.1)
        let printed = await Self.onSmallStack { () -> String in
            var depth = SyntaxLimits.file.depth
            while depth > 0 {
                if let document = try? TestSchema.document(make(depth)) {
                    _ = Validator.findings(in: document, against: TestSchema.zoo)
                    let operations = DeclaredOperations([document])
                    _ = operations.findings(against: TestSchema.zoo)
                    _ = document.operations.first.map { RequestLimits().finding(of: $0, in: document) }
                    return DocumentPrinter.text(document, .pretty) + DocumentPrinter.text(document, .compact)
                }
                depth -= 1
            }
            return "refused"
        }
        #expect(printed != "refused")
    }

    /// Fragments that spread the next one twice: what is asked for doubles each time.
    static let doubling =
        "{ cat { ...F0 } }\n"
        + (0..<200).map {
            "fragment F\($0) on Cat { a\($0): id ...F\($0 + 1) friends { ...F\($0 + 1) x: __typename ...F\($0 + 1) } }"
        }
        .joined(separator: "\n") + "\nfragment F200 on Animal { __typename }"

    static let floods: [(String, String, Set<Finding.Rule>)] = [
        (
            "fragments that double",
            doubling.replacing(" on Cat {", with: " on Animal {").replacing(": id", with: ": __typename")
                .replacing("friends {", with: "... on Cat {"), []
        ),
        (
            "a long chain of fragments",
            "{ cat { ...F0 } }" + (0..<3000).map { " fragment F\($0) on Cat { ...F\($0 + 1) }" }.joined()
                + " fragment F3000 on Cat { id }", []
        ),
        (
            "a long cycle of fragments",
            "{ cat { ...F0 } }"
                + (0..<3000).map { " fragment F\($0) on Cat { ...F\(($0 + 1) % 3000) }" }
                .joined(), [.noFragmentCycles]
        ),
        (
            "fragments that all spread all",
            "{ cat { ...F0 } }"
                + (0..<90).map { from in
                    " fragment F\(from) on Cat { " + (0..<90).map { "...F\($0) " }.joined() + "}"
                }.joined(), [.noFragmentCycles]
        ),
        ("a field many times", "{ " + String(repeating: "cat { id name } ", count: 3000) + "}", []),
        (
            "a field with many arguments", "{ " + (0..<3000).map { "node(id: \($0)) { id } " }.joined() + "}",
            [.overlappingFieldsCanBeMerged]
        ),
        (
            "a field on many types",
            "{ named(label: RED) { "
                + String(
                    repeating: "... on Dog { owner { id } } ... on Cat { owner { id } } id ",
                    count: 1500
                ) + "} }",
            [.overlappingFieldsCanBeMerged]
        ),
        (
            "operations that all spread all",
            (0..<400).map { "query Q\($0) { cat { ...F0 } } " }.joined()
                + (0..<400).map { "fragment F\($0) on Cat { a\($0): name(length: $v) ...F\($0 + 1) } " }.joined()
                + "fragment F400 on Cat { id }", [.noUndefinedVariables]
        ),
        (
            "operations that all spread many",
            (0..<400).map { "query Q\($0) { cat { ...F0 } } " }.joined()
                + (0..<400).map { "fragment F\($0) on Cat { a\($0): id ...F\($0 + 1) } " }.joined()
                + "fragment F400 on Cat { id }", [.limits]
        ),
        (
            "many unknown fragments",
            "{ cat { " + (0..<4000).map { "...UnknownFragment\($0) " }.joined() + "} } "
                + (0..<4000).map { "fragment KnownFragment\($0) on Cat { id } " }.joined(), [.knownFragmentNames]
        ),
        (
            "many unknown names", "{ cat { " + (0..<8000).map { "unknownFieldOfTheType\($0) " }.joined() + "} }",
            [.fieldsOnCorrectType]
        ),
    ]

    @Test("a document within the limits is validated quickly", arguments: floods.map(\.0))
    func time(kind: String) async throws {
        let flood = try #require(Self.floods.first { $0.0 == kind })
        let rules = await Self.onSmallStack { () -> Set<Finding.Rule>? in
            guard let document = try? TestSchema.document(flood.1, limits: SyntaxLimits(tokens: 60_000, depth: 60))
            else {
                return nil
            }
            _ = document.operations.first.map { RequestLimits().finding(of: $0, in: document) }
            return Set(Validator.findings(in: document, against: TestSchema.zoo, limits: .request).map(\.rule))
        }
        #expect(rules == flood.2)
    }
}
