import SwiftSyntax

extension SyntaxProtocol {
    /// Its text on one line, without comments, some of its tokens replaced; nil where that cannot be done.
    func flattened(replacing texts: [SyntaxIdentifier: String] = [:]) -> String? {
        guard FlatteningObstacles.areAbsent(in: Syntax(self)) else { return nil }
        var text = ""
        var isSpaced = false
        for token in tokens(viewMode: .sourceAccurate) {
            if !text.isEmpty {
                if token.beginsLaterStatement(within: Syntax(self)) {
                    text += "; "
                } else if isSpaced || !token.leadingTrivia.isEmpty {
                    text += " "
                }
            }
            text += texts[token.id] ?? token.text
            isSpaced = !token.trailingTrivia.isEmpty
        }
        return text
    }

    /// For people: its text on one line, even where it would mean something else there.
    var summary: String {
        flattened() ?? trimmedDescription.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

extension TokenSyntax {
    /// Whether a line break before it ends a statement.
    fileprivate func beginsLaterStatement(within whole: Syntax) -> Bool {
        var node = Syntax(self)
        while node != whole, let parent = node.parent, parent.firstToken(viewMode: .sourceAccurate) == self {
            node = parent
            if let item = node.as(CodeBlockItemSyntax.self), let former = item.former { return former.semicolon == nil }
        }
        return false
    }
}

extension CodeBlockItemSyntax {
    /// The statement before it in its list.
    var former: CodeBlockItemSyntax? {
        guard let list = parent?.as(CodeBlockItemListSyntax.self), let index = list.index(of: self),
            index != list.startIndex
        else { return nil }
        return list[list.index(before: index)]
    }
}

/// What has to stay on lines of its own.
private final class FlatteningObstacles: SyntaxVisitor {
    private var areFound = false

    static func areAbsent(in node: Syntax) -> Bool {
        let finder = FlatteningObstacles(viewMode: .sourceAccurate)
        finder.walk(node)
        return !finder.areFound
    }

    override func visit(_ node: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        if node.openingQuote.tokenKind == .multilineStringQuote { areFound = true }
        return .visitChildren
    }

    override func visit(_: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind {
        areFound = true
        return .skipChildren
    }

    override func visit(_: MemberBlockSyntax) -> SyntaxVisitorContinueKind {
        areFound = true
        return .skipChildren
    }
}
