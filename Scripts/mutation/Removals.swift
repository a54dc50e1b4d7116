import SwiftSyntax

/// Functions whose effect is for the reader of a log, or is that memory is given back.
private enum UnseenFunctions {
    static let names: Set<String> = [
        "precondition", "preconditionFailure", "assert", "assertionFailure", "fatalError", "free", "close",
        "deallocate", "deinitialize", "withExtendedLifetime", "reserveCapacity",
    ]
    static let endings = ["_free", "_destroy", "_cleanup", "_finalize", "_unref"]
    static let levels: Set<String> = ["trace", "debug", "info", "notice", "warning", "error", "critical"]

    static func has(_ name: String) -> Bool { names.contains(name) || endings.contains { name.hasSuffix($0) } }
}

extension FunctionCallExprSyntax {
    /// The name of what is called.
    fileprivate var name: String? {
        calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text
            ?? calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text
    }

    /// Whether what is given to it only ends up in a log, or in the message of a crash.
    var isForPeopleOnly: Bool {
        guard let name else { return false }
        if ["precondition", "preconditionFailure", "assert", "assertionFailure", "fatalError"].contains(name) {
            return true
        }
        guard UnseenFunctions.levels.contains(name), let base = calledExpression.as(MemberAccessExprSyntax.self)?.base
        else { return false }
        let owner = base.as(DeclReferenceExprSyntax.self) ?? base.as(MemberAccessExprSyntax.self)?.declName
        return owner.map { ["log", "logger"].contains($0.baseName.text) } ?? false
    }

    /// Whether it stands by itself for what it does.
    fileprivate var isForItsEffect: Bool {
        guard let name else { return true }
        if name == "init" || name.first?.isUppercase ?? false { return false }
        return !isForPeopleOnly && !UnseenFunctions.has(name)
    }
}

extension PlaceFinder {
    func addRemoval(of item: CodeBlockItemSyntax) {
        switch item.item {
        case .expr(let expression): addRemoval(of: item, expression)
        case .stmt(let statement): addRemoval(of: item, statement)
        default: break
        }
    }

    private func addRemoval(of item: CodeBlockItemSyntax, _ expression: ExprSyntax) {
        if let call = item.call {
            guard item.use == .none, call.isForItsEffect else { return }
            add(.call, at: expression, .leftOut, after: "")
        } else if let infix = expression.withoutMarkers.as(InfixOperatorExprSyntax.self), infix.isAssigning,
            !infix.leftOperand.is(DiscardAssignmentExprSyntax.self)
        {
            guard !item.isInInitializer, !item.isAmongLateValues else { return }
            add(.assignment, at: expression, .leftOut, after: "")
        }
    }

    private func addRemoval(of item: CodeBlockItemSyntax, _ statement: StmtSyntax) {
        guard !item.endsFunction, !item.isAmongLateValues, !item.isWholeCheck else { return }
        if statement.is(BreakStmtSyntax.self), item.parent?.parent?.is(SwitchCaseSyntax.self) ?? false { return }
        guard
            statement.is(ThrowStmtSyntax.self) || statement.is(ContinueStmtSyntax.self)
                || statement.is(BreakStmtSyntax.self)
        else { return }
        add(.exit, at: statement, .leftOut, after: "")
    }
}

extension CodeBlockItemSyntax {
    /// Whether it is all that an `if` has, whose condition is changed to the same effect.
    fileprivate var isWholeCheck: Bool {
        guard isAlone, let check = parent?.parent?.parent?.as(IfExprSyntax.self) else { return false }
        return check.elseBody == nil && !check.conditions.flags.isEmpty
    }

    /// Whether a value around it is given later than it is declared, on every path: no path may be taken away.
    fileprivate var isAmongLateValues: Bool {
        LateValues.arePresent(in: enclosingDeclaration)
    }
}

/// Looks for `let name: Type`.
private final class LateValues: SyntaxVisitor {
    private var areFound = false

    static func arePresent(in node: Syntax) -> Bool {
        let finder = LateValues(viewMode: .sourceAccurate)
        finder.walk(node)
        return finder.areFound
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        let isConstant = node.bindingSpecifier.text == "let"
        for binding in node.bindings where binding.initializer == nil && binding.accessorBlock == nil {
            // An optional variable begins as nil.
            guard node.parent?.is(CodeBlockItemSyntax.self) ?? false, let type = binding.typeAnnotation?.type else {
                continue
            }
            if isConstant || !type.isOptional { areFound = true }
        }
        return .visitChildren
    }
}
