import Support
import Testing
import WireBase
import WireConfig

/// A text in order is read in another way than one that breaks a rule: both ways must come to the same.
@Suite("JSON values")
struct JSONValueTests {
    /// By the reader that knows every message.
    static func carefully(_ text: String, _ limits: ReadingLimits, exactNumbers: Bool) -> String {
        do throws(Unreadable) {
            let source = try TextDecoding.accept(Array(text.utf8), named: "text")
            var builder = DocumentBuilder(source: source, into: Document(), limits: limits)
            try JSONReader.read(&builder, source)
            let result = builder.finish()
            if let problem = result.problems.first { throw Unreadable(problem) }
            return result.root.map { "\(JSONValue($0, of: result.document, exactNumbers))" } ?? "null"
        } catch {
            return words(error.problem)
        }
    }

    static func read(_ text: String, _ limits: ReadingLimits, exactNumbers: Bool) -> String {
        do throws(Unreadable) {
            let bytes = Array(text.utf8)
            return "\(try JSONValue(parsing: bytes, named: "text", limits: limits, exactNumbers: exactNumbers))"
        } catch {
            return words(error.problem)
        }
    }

    private static func words(_ problem: Diagnostic) -> String {
        "\(problem.code.id) \(problem.message) \(problem.place?.bytes ?? 0..<0)"
    }

    private static let texts = [
        "", " ", "null", " true ", "false\n", "0", "-0", "12", "-12", "999999999999999999", "9223372036854775807",
        "-9223372036854775808", "9223372036854775808", "-0.5e+3", "1.0", "1E2", "1e999", "[]", "{}", "[ ]", "{ }",
        "[1,2]", "[1,[2,{}],\"\"]", #"{"a":1,"b":{"c":[null]}}"#, #""\u00e9\n\"\\\/""#, #""\ud83c\udf89""#, "\"🎉é\"",
        #"[{"a":1,"b":2},{"a":3,"b":4},{"a":5},{"a":6,"b":7,"c":8},{"b":1,"a":2},{}]"#,
        #"[{"a":{"x":1}},{"a":{"x":2,"y":3}},{"a":[{"z":1},{"z":2}]},{"a":null}]"#,
        #"{"a":1,"\u0061":2}"#, #"[{"a":1},{"a":2,"a":3}]"#, #"[{"a":1,"b":2},{"a":2,"c":3,"a":4}]"#,
        #"{"é":1,"é":2}"#, #"{"1":1,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7,"8":8,"9":9,"1":1}"#, #"{"<<":{"a":1}}"#,
        "[01]", "[1.]", "[1e]", "[-]", "[1 2]", "[1,]", "{\"a\":1,}", "truex", "nul", "[tru]", "{a:1}", "{\"a\" 1}",
        "[\"a\nb\"]", #"["\x"]"#, #"["\ud800"]"#, "[\"open", "[1", "{\"a\":1", "1 // c", "[0x1]", "NaN", "1}",
    ]

    @Test("both readers follow the same rules and report the same errors", arguments: [false, true])
    func rules(exactNumbers: Bool) {
        for text in Self.texts {
            let limits = ReadingLimits()
            let careful = Self.carefully(text, limits, exactNumbers: exactNumbers)
            #expect(Self.read(text, limits, exactNumbers: exactNumbers) == careful, "\(text)")
        }
    }

    @Test("randomly mutated texts give the same result in both readers")
    func changed() {
        var random = SplitMix(seed: 20)
        let pieces = Array("[]{},:\"\\u0a1-.eE+ tfn\n".utf8)
        for text in Self.texts where !text.isEmpty {
            for _ in 0..<60 {
                var bytes = Array(text.utf8)
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let place = Int.random(in: 0...bytes.count, using: &random)
                    let piece = pieces.randomElement(using: &random) ?? 0
                    if Bool.random(using: &random) || place == bytes.count {
                        bytes.insert(piece, at: place)
                    } else {
                        bytes[place] = piece
                    }
                }
                let (text, limits) = (String(decoding: bytes, as: UTF8.self), ReadingLimits())
                let careful = Self.carefully(text, limits, exactNumbers: true)
                #expect(Self.read(text, limits, exactNumbers: true) == careful, "\(text)")
            }
        }
    }

    @Test("each limit is the same in both readers", arguments: 1...12)
    func limits(most: Int) {
        for text in Self.texts {
            for change in [\ReadingLimits.depth, \ReadingLimits.nodes] {
                var limits = ReadingLimits()
                limits[keyPath: change] = most
                let careful = Self.carefully(text, limits, exactNumbers: true)
                #expect(Self.read(text, limits, exactNumbers: true) == careful, "\(text)")
            }
            var limits = ReadingLimits()
            limits.scalarLength = .bytes(most)
            #expect(Self.read(text, limits, exactNumbers: true) == Self.carefully(text, limits, exactNumbers: true))
        }
    }
}
