import SwiftSyntax

/// What takes the place of an operator.
private enum OtherOperators {
    /// Of these the result is the opposite.
    static let opposite = [
        "==": "!=", "!=": "==", "===": "!==", "!==": "===", "<": ">=", "<=": ">", ">": "<=", ">=": "<",
    ]
    static let neighbour = ["<": "<=", "<=": "<", ">": ">=", ">=": ">"]
    static let boolean = ["&&": "||", "||": "&&"]
    static let arithmetic = [
        "+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "&+": "&-", "&-": "&+", "<<": ">>", ">>": "<<", "&": "|",
        "|": "&",
    ]
    static let assigning = ["+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "|=": "&=", "&=": "|="]
}

extension InfixOperatorExprSyntax {
    /// The operator's sign, unless it is one of the built-in ones such as `=`.
    var sign: String? { self.operator.as(BinaryOperatorExprSyntax.self)?.operator.text }

    var isComparison: Bool { sign.map { OtherOperators.opposite[$0] != nil } ?? false }

    var isBoolean: Bool { sign.map { OtherOperators.boolean[$0] != nil } ?? false }

    var isAssigning: Bool { self.operator.is(AssignmentExprSyntax.self) || sign?.isAssigning ?? false }

    /// Its text on one line with another operator.
    fileprivate func flattened(with sign: String) -> String? {
        guard let token = self.operator.firstToken(viewMode: .sourceAccurate) else { return nil }
        return flattened(replacing: [token.id: sign])
    }

    /// Whether one of what it joins cannot be a number.
    fileprivate var joinsTexts: Bool {
        [leftOperand, rightOperand].contains { operand in
            if let infix = operand.as(InfixOperatorExprSyntax.self) { return infix.joinsTexts }
            return operand.is(StringLiteralExprSyntax.self) || operand.is(ArrayExprSyntax.self)
                || operand.is(DictionaryExprSyntax.self)
        }
    }
}

extension String {
    fileprivate var isAssigning: Bool { hasSuffix("=") && !["==", "!=", "===", "!==", "<=", ">="].contains(self) }
}

extension PlaceFinder {
    func addOperators(of node: InfixOperatorExprSyntax) {
        guard let sign = node.sign else { return }
        if let other = OtherOperators.neighbour[sign], let changed = node.flattened(with: other) {
            add(.comparison, at: node, named: node.operator, .choice(changed), after: changed)
        }
        if let other = OtherOperators.opposite[sign] {
            let after = node.flattened(with: other) ?? "!(\(node.summary))"
            add(.comparison, at: node, named: node.operator, .inverted, after: after)
        }
        if let other = OtherOperators.boolean[sign], let left = node.leftOperand.flattened(),
            let right = node.rightOperand.flattened()
        {
            // In parentheses, because the other one binds the operands differently.
            let changed = "(\(left)) \(other) (\(right))"
            add(.boolean, at: node, named: node.operator, .choice(changed), after: changed)
        }
        // What an optional flag counts as where there is none.
        if sign == "??", node.rightOperand.is(BooleanLiteralExprSyntax.self) {
            let after = "?? \(node.rightOperand.opposite)"
            add(.fallback, at: node.rightOperand, .inverted, before: "?? \(node.rightOperand.summary)", after: after)
        }
        guard !node.joinsTexts else { return }
        if let other = OtherOperators.arithmetic[sign], let changed = node.flattened(with: other) {
            add(.arithmetic, at: node, named: node.operator, .choice(changed), after: changed)
        }
        if let other = OtherOperators.assigning[sign], node.parent?.is(CodeBlockItemSyntax.self) ?? false,
            let changed = node.flattened(with: other)
        {
            add(.arithmetic, at: node, named: node.operator, .instead(changed), after: changed)
        }
    }

    func addNegation(of node: PrefixOperatorExprSyntax) {
        guard node.operator.text == "!" else { return }
        add(.negation, at: node, .inverted, after: node.expression.summary)
    }
}
