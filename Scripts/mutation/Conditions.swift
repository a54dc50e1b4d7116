import SwiftSyntax

extension ConditionElementListSyntax {
    /// Those that are expressions of type `Bool`.
    var flags: [ExprSyntax] {
        compactMap { $0.condition.as(ExprSyntax.self) }.filter { !$0.is(MacroExpansionExprSyntax.self) }
    }
}

extension ExprSyntax {
    /// What is marked by `try`, `await` or `unsafe`: they cover everything to their right.
    var withoutMarkers: ExprSyntax {
        if let marked = self.as(TryExprSyntax.self), marked.questionOrExclamationMark == nil {
            return marked.expression.withoutMarkers
        }
        if let marked = self.as(AwaitExprSyntax.self) { return marked.expression.withoutMarkers }
        if let marked = self.as(UnsafeExprSyntax.self) { return marked.expression.withoutMarkers }
        return self
    }

    /// Whether a change of an operator in it does not already do what a negation does.
    var isPlainFlag: Bool {
        if let tuple = self.as(TupleExprSyntax.self), tuple.elements.count == 1, let only = tuple.elements.first {
            return only.expression.withoutMarkers.isPlainFlag
        }
        if let infix = self.as(InfixOperatorExprSyntax.self) { return !infix.isComparison && !infix.isBoolean }
        if let prefix = self.as(PrefixOperatorExprSyntax.self) { return prefix.operator.text != "!" }
        return !self.is(BooleanLiteralExprSyntax.self)
    }
}

extension PlaceFinder {
    /// One that is left when a condition holds: without that, or else what it does the other way round.
    func addConditions(of node: IfExprSyntax) {
        let flags = node.conditions.flags
        guard node.elseBody == nil, node.body.leaves else { return flags.forEach(addInversion) }
        if let flag = flags.first?.withoutMarkers { add(.check, at: flag, .choice("false"), after: "false") }
    }

    func addConditions(of node: GuardStmtSyntax) {
        for flag in node.conditions.flags.map(\.withoutMarkers) {
            add(.check, at: flag, .choice("true"), after: "true")
        }
    }

    func addInversion(of condition: ExprSyntax) {
        let flag = condition.withoutMarkers
        guard flag.isPlainFlag else { return }
        add(.condition, at: flag, .inverted, after: "!(\(flag.summary))")
    }
}

extension CodeBlockSyntax {
    /// Whether what is around it is left at its end.
    var leaves: Bool {
        guard case .stmt(let last) = statements.last?.item else { return false }
        return last.is(ReturnStmtSyntax.self) || last.is(ThrowStmtSyntax.self) || last.is(ContinueStmtSyntax.self)
            || last.is(BreakStmtSyntax.self)
    }
}
