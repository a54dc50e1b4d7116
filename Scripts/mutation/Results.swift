import SwiftSyntax

extension PlaceFinder {
    func addOtherResult(of node: ReturnStmtSyntax) {
        guard let result = node.expression else { return }
        if node.declaredResult?.isOptional ?? false, !result.is(NilLiteralExprSyntax.self) {
            add(.result, at: node, .returningNil(isImplicit: false), after: "return nil")
        }
        addInversion(ofResult: result)
    }

    /// The only expression of a body, without a `return`.
    func addOtherResult(of item: CodeBlockItemSyntax) {
        guard case .expr(let result) = item.item, item.use != .none else { return }
        if item.use == .result, item.isBody, item.declaredResult?.isOptional ?? false,
            !result.is(NilLiteralExprSyntax.self)
        {
            add(.result, at: result, .returningNil(isImplicit: true), after: "nil")
        }
        addInversion(ofResult: result)
    }

    private func addInversion(ofResult result: ExprSyntax) {
        let flag = result.withoutMarkers
        let isBool = result.declaredResult?.isBool ?? false
        guard flag.is(BooleanLiteralExprSyntax.self) || isBool && flag.isPlainFlag else { return }
        add(.result, at: flag, .inverted, after: flag.opposite)
    }
}

extension ExprSyntax {
    /// For people: what a negation makes of it.
    var opposite: String {
        guard let literal = self.as(BooleanLiteralExprSyntax.self) else { return "!(\(summary))" }
        return literal.literal.text == "true" ? "false" : "true"
    }
}

extension CodeBlockItemSyntax {
    /// Whether it is the whole body of a function, and not a branch of an `if` or `switch`.
    fileprivate var isBody: Bool {
        guard let container = parent?.parent else { return false }
        if container.is(AccessorBlockSyntax.self) { return true }
        let owner = container.as(CodeBlockSyntax.self)?.parent
        return owner?.is(FunctionDeclSyntax.self) ?? false || owner?.is(AccessorDeclSyntax.self) ?? false
    }
}
