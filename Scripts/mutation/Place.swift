/// A change that can be made to a source file, as two texts that are inserted around a range of it.
///
/// The original stays where it is, between the two, so that no line moves and places may lie inside each other.
struct Place: Encodable {
    enum Kind: String, Encodable {
        case comparison, boolean, negation, condition, arithmetic, boundary, call, assignment, exit, name,
            fallback
        case check = "guard"
        case result = "return"
    }

    let file: String
    let line: Int
    let column: Int
    let kind: Kind
    /// Offsets in bytes.
    let start: Int
    let end: Int
    let prefix: String
    let suffix: String
    let before: String
    let after: String
    /// What the compiler checks as one piece with it, and the declaration around it: from and to, in lines.
    let statement: [Int]
    let declaration: [Int]
}

/// How the original and what takes its place are held by one text; a zero byte stands for the number of the change.
enum Change {
    /// An expression of any type.
    case choice(String)
    /// An expression of type `Bool`, negated.
    case inverted
    /// A statement that is left out.
    case leftOut
    /// A statement instead of another one.
    case instead(String)
    /// A result of `nil`, before a `return` or before an expression that is one.
    case returningNil(isImplicit: Bool)

    var prefix: String {
        switch self {
        case .choice(let changed): "(isMutant(\0) ? (\(changed)) : ("
        case .inverted: "(isMutant(\0) != ("
        case .leftOut: "if !isMutant(\0) { "
        case .instead(let changed): "if isMutant(\0) { \(changed) } else { "
        case .returningNil(let isImplicit): "if isMutant(\0) { return nil }; " + (isImplicit ? "return " : "")
        }
    }

    var suffix: String {
        switch self {
        case .choice, .inverted: "))"
        case .leftOut, .instead: " }"
        case .returningNil: ""
        }
    }
}
