import SwiftSyntax

/// Where a node lies: in which statement and declaration, and what becomes of its value.
extension SyntaxProtocol {
    /// What the compiler checks as one piece: a closure of one expression belongs to the statement around it.
    var enclosingStatement: Syntax {
        var node = Syntax(self)
        while let parent = node.parent {
            node = parent
            if node.is(MemberBlockItemSyntax.self) { return node }
            guard let item = node.as(CodeBlockItemSyntax.self) else { continue }
            if !item.isAlone || item.parent?.parent?.is(ClosureExprSyntax.self) != true { return node }
        }
        return node
    }

    /// The member of a type, or of a file.
    var enclosingDeclaration: Syntax {
        var node = Syntax(self)
        while let parent = node.parent, !parent.is(SourceFileSyntax.self) {
            if node.is(MemberBlockItemSyntax.self) { return node }
            if node.is(CodeBlockItemSyntax.self), parent.parent?.is(SourceFileSyntax.self) ?? false { return node }
            node = parent
        }
        return node
    }

    /// What the function around it is declared to give; nil in a closure that does not say.
    var declaredResult: TypeSyntax? {
        var node = Syntax(self)
        while let parent = node.parent {
            node = parent
            if let closure = node.as(ClosureExprSyntax.self) { return closure.signature?.returnClause?.type }
            if let function = node.as(FunctionDeclSyntax.self) { return function.signature.returnClause?.type }
            if node.is(InitializerDeclSyntax.self) { return nil }
            if let accessor = node.as(AccessorDeclSyntax.self), accessor.accessorSpecifier.text != "get" { return nil }
            if let accessors = node.as(AccessorBlockSyntax.self) { return accessors.declaredType }
        }
        return nil
    }

    /// Whether the nearest function around it is an initialiser.
    var isInInitializer: Bool {
        var node = Syntax(self)
        while let parent = node.parent {
            node = parent
            if node.is(InitializerDeclSyntax.self) { return true }
            if node.is(FunctionDeclSyntax.self) || node.is(ClosureExprSyntax.self) { return false }
        }
        return false
    }
}

extension AccessorBlockSyntax {
    fileprivate var declaredType: TypeSyntax? {
        parent?.as(PatternBindingSyntax.self)?.typeAnnotation?.type
            ?? parent?.as(SubscriptDeclSyntax.self)?.returnClause.type
    }
}

extension TypeSyntax {
    var isOptional: Bool { self.is(OptionalTypeSyntax.self) }
    var isBool: Bool { trimmedDescription == "Bool" }
}

/// What becomes of the value of a statement that is an expression.
enum Use {
    case none, result
    /// Whatever a closure is for.
    case unknown
}

extension CodeBlockItemSyntax {
    var isAlone: Bool { parent?.as(CodeBlockItemListSyntax.self)?.count == 1 }

    var isLast: Bool { parent?.as(CodeBlockItemListSyntax.self)?.last?.id == id }

    /// What becomes of its value, where it is the only statement of a body.
    var use: Use { isAlone ? useAtEnd : .none }

    /// What becomes of what stands at the end of the body it is the last statement of.
    private var useAtEnd: Use {
        guard let container = parent?.parent else { return .none }
        if container.is(AccessorBlockSyntax.self) { return .result }
        if container.is(ClosureExprSyntax.self) { return useInClosure }
        if container.is(SwitchCaseSyntax.self) {
            return container.parent?.parent?.as(SwitchExprSyntax.self)?.useOfBranch ?? .none
        }
        guard let owner = container.as(CodeBlockSyntax.self)?.parent else { return .none }
        if let function = owner.as(FunctionDeclSyntax.self) {
            return function.signature.returnClause == nil ? .none : .result
        }
        if let accessor = owner.as(AccessorDeclSyntax.self) {
            return accessor.accessorSpecifier.text == "get" ? .result : .none
        }
        return owner.as(IfExprSyntax.self)?.useOfBranch ?? .none
    }

    /// A closure that is given to a call whose own result is not used gives nothing, as a rule.
    private var useInClosure: Use {
        var node = Syntax(self)
        while let parent = node.parent {
            node = parent
            if let item = node.as(CodeBlockItemSyntax.self) {
                return item.call != nil && item.use == .none ? .none : .unknown
            }
        }
        return .unknown
    }

    /// The call that the statement is, behind all markers.
    var call: FunctionCallExprSyntax? {
        guard case .expr(let expression) = item else { return nil }
        return expression.calledHere
    }

    /// Whether the function around it needs a result or an exit where this statement ends it.
    var endsFunction: Bool {
        guard isLast, let container = parent?.parent else { return false }
        if container.is(ClosureExprSyntax.self) || container.is(AccessorBlockSyntax.self) { return true }
        if let branch = container.as(SwitchCaseSyntax.self) {
            return branch.enclosingItem?.endsFunction ?? true
        }
        guard let owner = container.as(CodeBlockSyntax.self)?.parent else { return true }
        if let function = owner.as(FunctionDeclSyntax.self) { return function.signature.returnClause != nil }
        if owner.is(InitializerDeclSyntax.self) { return false }
        if owner.is(AccessorDeclSyntax.self) || owner.is(GuardStmtSyntax.self) { return true }
        if owner.is(ForStmtSyntax.self) || owner.is(WhileStmtSyntax.self) || owner.is(RepeatStmtSyntax.self) {
            return false
        }
        return owner.enclosingItem?.endsFunction ?? true
    }
}

extension SyntaxProtocol {
    fileprivate var enclosingItem: CodeBlockItemSyntax? {
        var node = Syntax(self)
        while let parent = node.parent {
            node = parent
            if let item = node.as(CodeBlockItemSyntax.self) { return item }
        }
        return nil
    }
}

extension ExprSyntax {
    /// The call that it is, behind `try`, `try?`, `await`, `unsafe` and `_ =`.
    fileprivate var calledHere: FunctionCallExprSyntax? {
        let plain = withoutMarkers
        if let attempt = plain.as(TryExprSyntax.self) { return attempt.expression.calledHere }
        if let infix = plain.as(InfixOperatorExprSyntax.self), infix.leftOperand.is(DiscardAssignmentExprSyntax.self) {
            return infix.rightOperand.calledHere
        }
        return plain.as(FunctionCallExprSyntax.self)
    }
}

extension IfExprSyntax {
    fileprivate var useOfBranch: Use { Syntax(self).useOfBranch }
}

extension SwitchExprSyntax {
    fileprivate var useOfBranch: Use { Syntax(self).useOfBranch }
}

extension Syntax {
    /// An `if` or `switch` is a statement, or what gives a value to something.
    fileprivate var useOfBranch: Use {
        guard let parent else { return .none }
        // `else if`
        if parent.is(IfExprSyntax.self) { return parent.useOfBranch }
        guard parent.is(ExpressionStmtSyntax.self) || parent.is(CodeBlockItemSyntax.self) else { return .result }
        return enclosingItem?.use ?? .none
    }
}
