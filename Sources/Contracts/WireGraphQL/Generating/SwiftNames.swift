/// Swift names for GraphQL names: unique in their scope, without hiding names that generated code uses.
struct SwiftNames {
    private var taken: Set<String>

    init(_ taken: Set<String> = []) { self.taken = taken }

    /// A type of the namespace or of a struct.
    mutating func type(_ name: String, orWith suffix: String) -> String {
        unique(Self.capitalized(name), suffix)
    }

    /// A property, parameter or case of an enumeration.
    mutating func property(_ name: String) -> String { Self.escaped(unique(name, "Value")) }

    /// The case of an enumeration for a value: `IN_PROGRESS` becomes `inProgress`.
    mutating func enumerationCase(_ value: String) -> String {
        guard !value.contains(where: \.isLowercase) else { return property(value) }
        let words = value.lowercased().split(separator: "_").map(String.init)
        let name = (words.first ?? value) + words.dropFirst().map(Self.capitalized).joined()
        return property(name)
    }

    private mutating func unique(_ name: String, _ suffix: String) -> String {
        var name = name == "_" ? "underscore" : name
        if taken.contains(name) { name += suffix }
        while taken.contains(name) { name += "_" }
        taken.insert(name)
        return name
    }

    static func capitalized(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

    static func uncapitalized(_ name: String) -> String { name.prefix(1).lowercased() + name.dropFirst() }

    private static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// Types that generated code uses.
    static let types: Set<String> = [
        "Any", "Array", "Bool", "Codable", "CodingKey", "CodingKeys", "Corewire", "Data", "Decodable", "Decoder",
        "Double", "Encodable", "Encoder", "Hashable", "Int", "Never", "Optional", "Protocol", "RawRepresentable",
        "Self", "Sendable", "String", "Type", "Variables",
    ]

    /// The members of generated types, and names not allowed for properties.
    static let members: Set<String> = ["Type", "Protocol", "hash", "hashValue", "encode", "init", "self", "Self"]

    private static let keywords: Set<String> = [
        "any", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue", "default", "defer",
        "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard",
        "if", "import", "in", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private",
        "protocol", "public", "repeat", "rethrows", "return", "some", "static", "struct", "subscript", "super",
        "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]
}
