import SwiftSyntax

/// Members by whose name stands what takes their place.
private enum OtherNames {
    static let pairs = [
        ("first", "last"), ("firstIndex", "lastIndex"), ("removeFirst", "removeLast"), ("popFirst", "popLast"),
        ("prefix", "suffix"), ("dropFirst", "dropLast"), ("hasPrefix", "hasSuffix"), ("min", "max"),
    ]

    static func other(_ name: String) -> String? {
        for (one, other) in pairs {
            if name == one { return other }
            if name == other { return one }
        }
        return nil
    }
}

extension PlaceFinder {
    /// `min(a, b)` for `max(a, b)`.
    func addOtherFunction(of node: FunctionCallExprSyntax) {
        guard let called = node.calledExpression.as(DeclReferenceExprSyntax.self), node.arguments.count > 1,
            ["min", "max"].contains(called.baseName.text), let other = OtherNames.other(called.baseName.text),
            let changed = node.flattened(replacing: [called.baseName.id: other])
        else { return }
        add(.name, at: node, named: called, .choice(changed), after: changed)
    }

    /// `last` for `first`, and the like.
    func addOtherName(of node: MemberAccessExprSyntax) {
        guard let base = node.base, !base.isType else { return }
        let name = node.declName.baseName
        if let tokens = node.tokensOfOtherQuantifier {
            addToChain(of: node, replacing: tokens)
        } else if let other = OtherNames.other(name.text), !node.isCalledWithBound {
            addToChain(of: node, replacing: [name.id: other])
        }
    }

    /// The whole chain is doubled: what is behind a `?` belongs to it.
    private func addToChain(of node: MemberAccessExprSyntax, replacing tokens: [SyntaxIdentifier: String]) {
        let chain = ExprSyntax(node).chain
        guard !chain.isWritten, let changed = chain.flattened(replacing: tokens) else { return }
        add(.name, at: chain, named: node.declName, .choice(changed), after: changed)
    }
}

extension ExprSyntax {
    /// With a capital letter: `first` is then the name of a value, and not of a place in a row.
    fileprivate var isType: Bool {
        let name = self.as(DeclReferenceExprSyntax.self) ?? self.as(MemberAccessExprSyntax.self)?.declName
        return name?.baseName.text.first?.isUppercase ?? false
    }

    /// The calls and members behind it as well.
    fileprivate var chain: ExprSyntax {
        guard let parent = parent?.as(ExprSyntax.self) else { return self }
        if parent.is(OptionalChainingExprSyntax.self) || parent.is(ForceUnwrapExprSyntax.self) { return parent.chain }
        let base =
            parent.as(MemberAccessExprSyntax.self)?.base ?? parent.as(FunctionCallExprSyntax.self)?.calledExpression
            ?? parent.as(SubscriptCallExprSyntax.self)?.calledExpression
        return base == self ? parent.chain : self
    }

    fileprivate var isWritten: Bool {
        guard let parent else { return false }
        if parent.is(InOutExprSyntax.self) { return true }
        guard let infix = parent.as(InfixOperatorExprSyntax.self) else { return false }
        return infix.isAssigning && infix.leftOperand == self
    }
}

extension MemberAccessExprSyntax {
    private var call: FunctionCallExprSyntax? {
        guard let call = parent?.as(FunctionCallExprSyntax.self), call.calledExpression == ExprSyntax(self) else {
            return nil
        }
        return call
    }

    /// `prefix(while:)` and the like, which have no counterpart.
    fileprivate var isCalledWithBound: Bool {
        ["while", "upTo", "through", "from"].contains(call?.arguments.first?.label?.text)
    }

    /// `contains(where: …)` for `allSatisfy(…)`.
    fileprivate var tokensOfOtherQuantifier: [SyntaxIdentifier: String]? {
        guard let call else { return nil }
        let name = declName.baseName
        let argument = call.arguments.first
        if name.text == "allSatisfy" {
            guard let argument, let first = argument.firstToken(viewMode: .sourceAccurate) else {
                return [name.id: "contains"]
            }
            return [name.id: "contains", first.id: "where: \(first.text)"]
        }
        guard name.text == "contains" else { return nil }
        if argument == nil, call.trailingClosure != nil { return [name.id: "allSatisfy"] }
        guard let label = argument?.label, label.text == "where", let colon = argument?.colon else { return nil }
        return [name.id: "allSatisfy", label.id: "", colon.id: ""]
    }
}
