import WireBase

/// Reports problems with the shape of values.
extension Reader {
    /// Reports a value of the wrong type, or text that its type cannot parse.
    ///
    /// A fix is text with the quotes of the replaced value, unless `isBare`: a number or a Boolean.
    package func reportMismatch(
        _ node: NodeID,
        expected: String,
        isSecret: Bool = false,
        label: String = "",
        help: Advice? = nil,
        fix: String? = nil,
        isBare: Bool = false,
        code: Code = .wrongType,
        range: Range<Int>? = nil
    ) {
        // A quoted number looks like a number, so the message says that it is text.
        let isText = isBare && document.kind(node) == .quoted ? "the text " : ""
        let found = isSecret ? hidden(node) : isText + found(node)
        // The contents of a wrong collection are not read, and may contain secrets.
        if !document.kind(node).isScalar { isSecret ? record(secretAt: node) : record(unread: node) }
        var problem = Diagnostic(
            code,
            "\(pathText): expected \(expected), found \(found)",
            at: range.flatMap { place(of: $0, in: node) } ?? document.place(document.target(node))
        )
        .labelled(label)
        .helped(by: help)
        if let fix, document.kind(node).isScalar, !document.isAlias(node), !hasAnchor(node) {
            let place = document.place(node)
            problem = problem.fixed(by: .replace(place, with: isBare ? fix : quotedLike(place, fix), "write \(fix)"))
        }
        report(withAlias(problem, node))
    }

    /// Reports text that its type cannot parse.
    func report(_ misread: Misread, at node: NodeID, expected noun: @autoclosure () -> String) {
        if misread.hidesText { record(secretAt: node) }
        reportMismatch(
            node,
            expected: misread.expected ?? noun(),
            isSecret: misread.hidesText,
            label: misread.label ?? "",
            help: misread.help.map { Advice($0) },
            fix: misread.fix,
            code: misread.code,
            range: misread.range
        )
    }

    /// The location of bytes in a scalar's text; nil where the file contains escapes.
    private func place(of range: Range<Int>, in node: NodeID) -> SourceRange? {
        let whole = document.place(document.target(node))
        let (written, text) = (whole.file.bytes[whole.bytes], document.bytes(node))
        let inset = written.elementsEqual(text) ? 0 : written.dropFirst().dropLast().elementsEqual(text) ? 1 : nil
        guard let inset, range.upperBound <= text.count else { return nil }
        let start = whole.bytes.lowerBound + inset
        return SourceRange(whole.file, start + range.lowerBound..<start + max(range.upperBound, range.lowerBound + 1))
    }

    /// Whether aliases may refer to the node, so that a fix would change other values too.
    private func hasAnchor(_ node: NodeID) -> Bool {
        let place = document.place(node)
        let before = place.file.bytes[..<place.bytes.lowerBound].suffix(80)
        let word = before.reversed().drop { $0 == UInt8(ascii: " ") }.prefix { $0 > UInt8(ascii: " ") }
        return word.last == UInt8(ascii: "&")
    }

    /// Reports a value outside the range of its key.
    func reportOutOfRange(_ node: NodeID, _ expectation: String, isSecret: Bool) {
        let found = isSecret ? hidden(node) : found(node)
        report(
            withAlias(
                Diagnostic(
                    .outOfRange,
                    "\(pathText): expected \(expectation), found \(found)",
                    at: document.place(document.target(node))
                ),
                node
            )
        )
    }

    func reportMissing(
        _ name: String,
        at place: NodeID?,
        in mapping: NodeID,
        form: Form,
        example: String? = nil
    ) {
        let owner = pathText.isEmpty ? "the file" : pathText
        var help: Advice = "\(name.quoted) is \(form.noun)"
        if case .choice(let words) = form {
            help = "write \(setting: "\(name): …", of: pathText) with \(words.map(\.name).listed())"
        } else if let sample = example ?? form.sample {
            help = "write \(setting: "\(name): \(sample)", of: pathText)"
        }
        report(
            missing: Diagnostic(
                .missingKey,
                "missing \(name.quoted) in \(owner)",
                at: place.map(document.place) ?? document.place(mapping).beginning
            )
            .helped(by: help)
            .about(pathText.isEmpty ? name : "\(pathText).\(name)")
        )
    }

    func reportDeprecated(_ key: NodeID, _ replacement: String) {
        report(
            Diagnostic(.deprecatedKey, "\(pathText) is deprecated", at: document.place(key)).helped(by: replacement)
        )
    }

    /// Describes the type or text of a node for messages.
    package func found(_ node: NodeID) -> String {
        switch document.kind(node) {
        case .mapping: "a mapping"
        case .sequence: "a list"
        case .plain where isNull(node): "nothing"
        default: document.text(node).quoted
        }
    }

    /// What was found where a secret belongs: the text is hidden, the shape is not.
    private func hidden(_ node: NodeID) -> String {
        document.kind(node).isScalar ? "something else" : found(node)
    }

    /// Quotes a name in the style of the replaced text: JSON keeps its quotes.
    func quotedLike(_ place: SourceRange, _ name: String) -> String {
        switch place.file.bytes.dropFirst(place.bytes.lowerBound).first {
        case UInt8(ascii: "\""): "\"\(name)\""
        case UInt8(ascii: "'"): "'\(name)'"
        default: name
        }
    }

    private func withAlias(_ problem: Diagnostic, _ node: NodeID) -> Diagnostic {
        document.isAlias(node) ? problem.related(document.place(node), "used here through an alias") : problem
    }
}

extension Form {
    /// A short valid value on one line, if there is one.
    package var sample: String? {
        switch self {
        case .text(let text): text.example
        case .boolean: "true"
        case .integer: "1"
        case .number: "1.5"
        case .choice(let words): words.first?.name
        case .list(let form): form.sample.map { "[\($0)]" }
        case .secret: "${env:NAME}"
        case .either(let first, _): first.sample
        case .exclusive(let alternatives):
            alternatives.first.flatMap { alternative in alternative.form.sample.map { "{ \(alternative.name): \($0) }" }
            }
        default: nil
        }
    }
}
