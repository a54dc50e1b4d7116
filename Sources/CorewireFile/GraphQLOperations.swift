import WireBase

/// The names of the operations a GraphQL document declares (GraphQL specification, section 2.3).
enum GraphQLOperations {
    /// Words outside of strings, comments and selection sets decide; what is inside braces cannot declare an operation.
    static func names(in text: String) -> [String] {
        var names: [String] = []
        var depth = 0
        var expectsName = false
        var rest = Substring(text).utf8
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "#"):
                rest = rest.drop { $0 != UInt8(ascii: "\n") }
            case UInt8(ascii: "\""):
                rest = skipString(rest)
            case UInt8(ascii: "{"), UInt8(ascii: "("):
                (depth, expectsName) = (depth + 1, false)
                rest = rest.dropFirst()
            case UInt8(ascii: "}"), UInt8(ascii: ")"):
                depth -= 1
                rest = rest.dropFirst()
            case UInt8(ascii: "@"):
                // The name of a directive is not that of the operation, and none comes after it.
                expectsName = false
                rest = rest.dropFirst().drop(while: isOfName)
            case _ where byte.isLetter || byte == UInt8(ascii: "_"):
                let word = rest.prefix(while: isOfName)
                rest = rest.dropFirst(word.count)
                guard depth == 0 else { continue }
                let name = String(decoding: word, as: UTF8.self)
                if expectsName { names.append(name) }
                expectsName = !expectsName && ["query", "mutation", "subscription"].contains(name)
            default:
                rest = rest.dropFirst()
            }
        }
        return names
    }

    private static func skipString(_ text: Substring.UTF8View) -> Substring.UTF8View {
        let isBlock = text.starts(with: "\"\"\"".utf8)
        var rest = text.dropFirst(isBlock ? 3 : 1)
        while let byte = rest.first {
            if isBlock, rest.starts(with: "\"\"\"".utf8) { return rest.dropFirst(3) }
            if !isBlock, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\n") { return rest.dropFirst() }
            let isEscape = isBlock ? rest.starts(with: "\\\"\"\"".utf8) : byte == UInt8(ascii: "\\")
            rest = rest.dropFirst(!isEscape ? 1 : isBlock ? 4 : 2)
        }
        return rest
    }

    private static func isOfName(_ byte: UInt8) -> Bool { byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_") }
}
