import SwiftSyntax

extension IntegerLiteralExprSyntax {
    fileprivate var value: UInt64? {
        let digits = literal.text.filter { $0 != "_" }
        let radixes = ["0x": 16, "0o": 8, "0b": 2]
        guard let radix = radixes[String(digits.prefix(2))] else { return UInt64(digits) }
        return UInt64(digits.dropFirst(2), radix: radix)
    }

    /// Whether a change of it would be one of how much room is taken, or of one among many.
    fileprivate var isNoBoundary: Bool {
        if let argument = parent?.as(LabeledExprSyntax.self) {
            if ["repeating", "capacity", "minimumCapacity"].contains(argument.label?.text) { return true }
            let arguments = argument.parent?.as(LabeledExprListSyntax.self)
            if arguments?.first?.label?.text == "repeating" { return true }
            // `names[0]`, which ends the program where there is no other.
            return arguments?.parent?.is(SubscriptCallExprSyntax.self) ?? false
        }
        guard let list = parent?.as(ArrayElementSyntax.self)?.parent?.as(ArrayElementListSyntax.self) else {
            return false
        }
        return list.count > 8
    }

    /// Whether the next number makes of the comparison what the neighbouring operator makes of it.
    fileprivate var isBesideItsNeighbour: Bool {
        guard let comparison = parent?.as(InfixOperatorExprSyntax.self), let sign = comparison.sign else {
            return false
        }
        let isRight = comparison.rightOperand.id == id
        return (isRight ? ["<", ">="] : [">", "<="]).contains(sign)
    }
}

extension PlaceFinder {
    /// One more than a number that a rule has.
    func addBoundary(of node: IntegerLiteralExprSyntax) {
        guard let value = node.value, value < .max, !node.isNoBoundary, !node.isBesideItsNeighbour else { return }
        if let negative = node.parent?.as(PrefixOperatorExprSyntax.self), negative.operator.text == "-" {
            let changed = value == 0 ? "1" : "-\(value - 1)"
            add(.boundary, at: negative, .choice(changed), after: changed)
        } else {
            add(.boundary, at: node, .choice("\(value + 1)"), after: "\(value + 1)")
        }
    }
}
