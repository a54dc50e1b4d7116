/// A regular expression for ``AddressTerms``, for editors; validation is stricter.
struct AddressPattern {
    private let terms: AddressTerms

    init(_ terms: AddressTerms) {
        self.terms = terms
    }

    var text: String {
        let absolute =
            "\(schemes)://(?!(?:\(Self.known)):/|(?:\(Self.known))//)\(Self.host)(?:\(Self.port))?(?:/\(Self.path))?\(tail)"
        guard terms.mayBeRelative else { return "^\(absolute)$" }
        return "^(?=.)(?:\(absolute)|(?:\\./(?=.)|\(Self.slips))\(Self.dots)\(Self.path)\(tail))$"
    }

    private var schemes: String {
        "(?:" + terms.schemes.map(Self.anyCase).joined(separator: "|") + ")"
    }

    /// Matches a word in any case.
    private static func anyCase(_ word: String) -> String {
        word.map { $0.isLetter ? "[\($0.uppercased())\($0)]" : String($0) }.joined()
    }

    private var tail: String {
        switch terms.reach {
        case .path: ""
        case .query: "(?:\\?\(Self.query))?"
        case .all: "(?:\\?\(Self.query))?(?:#\(Self.query))?"
        }
    }

    private static let known = (AddressTerms.web + AddressTerms.sockets).map(anyCase).joined(separator: "|")
    private static let path = "[!$-;=@-Z\\[\\]_a-z~]*"
    private static let query = "[!$-;=?@-Z\\[\\]_a-z~]*"
    static let label = "[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?"
    private static let host = "(?:\\[[0-9A-Fa-f:.]+\\]|\(label)(?:\\.\(label))*)"
    private static let port = ":0*(?:\(AmountPattern.numbers(1...65_535)))"
    private static let end = "(?:[/?]|$)"
    private static let dots = "(?!(?:[^?]*/)?\\.\\.\(end))"

    /// Beginnings of a relative path that need './' before them.
    private static let slips: String = {
        let web = AddressTerms.web.map(anyCase).joined(separator: "|")
        let endings = AddressSlip.fileEndings.map(anyCase).joined(separator: "|")
        return "(?!\\./|//|~\(end)|\\[|[^/?]*:|[^/?]*//|/[A-Za-z0-9+-]*[:;.,]*//)"
            + "(?!/?(?:\(known))[.,/]*[:;])(?!/?(?:\(web))[.,]*(?:/|$))"
            + "(?!localhost\(end)|(?:[0-9]{1,3}\\.){3}[0-9]{1,3}\\.?\(end))"
            + "(?!(?:\(label)\\.)+(?!(?:\(endings))\\.?\(end))(?:[A-Za-z]+|[Xx][Nn]--[A-Za-z0-9-]+)\\.?\(end))"
    }()
}
