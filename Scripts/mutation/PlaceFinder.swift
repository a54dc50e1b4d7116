import SwiftSyntax

/// Finds the places of one file, from its first line to its last.
final class PlaceFinder: SyntaxVisitor {
    private let path: String
    private let converter: SourceLocationConverter
    private var places: [Place] = []

    private init(_ file: SourceFileSyntax, path: String) {
        self.path = path
        converter = SourceLocationConverter(fileName: path, tree: file)
        super.init(viewMode: .sourceAccurate)
    }

    static func places(in file: SourceFileSyntax, path: String) -> [Place] {
        let finder = PlaceFinder(file, path: path)
        finder.walk(file)
        return finder.places
    }

    /// Adds a place: `named` is what its line and column are those of.
    func add(
        _ kind: Place.Kind,
        at node: some SyntaxProtocol,
        named: (some SyntaxProtocol)? = TokenSyntax?.none,
        _ change: Change,
        before: String? = nil,
        after: String
    ) {
        let location = converter.location(
            for: named?.positionAfterSkippingLeadingTrivia ?? node.positionAfterSkippingLeadingTrivia
        )
        places.append(
            Place(
                file: path,
                line: location.line,
                column: location.column,
                kind: kind,
                start: node.positionAfterSkippingLeadingTrivia.utf8Offset,
                end: node.endPositionBeforeTrailingTrivia.utf8Offset,
                prefix: change.prefix,
                suffix: change.suffix,
                before: before ?? node.summary,
                after: after,
                statement: lines(of: node.enclosingStatement),
                declaration: lines(of: node.enclosingDeclaration)
            )
        )
    }

    private func lines(of node: Syntax) -> [Int] {
        [node.positionAfterSkippingLeadingTrivia, node.endPositionBeforeTrailingTrivia].map {
            converter.location(for: $0).line
        }
    }

    // MARK: Looked at

    override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        addOperators(of: node)
        return .visitChildren
    }

    override func visit(_ node: PrefixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        addNegation(of: node)
        return .visitChildren
    }

    override func visit(_ node: IfExprSyntax) -> SyntaxVisitorContinueKind {
        addConditions(of: node)
        return .visitChildren
    }

    override func visit(_ node: GuardStmtSyntax) -> SyntaxVisitorContinueKind {
        addConditions(of: node)
        return .visitChildren
    }

    override func visit(_ node: WhileStmtSyntax) -> SyntaxVisitorContinueKind {
        for condition in node.conditions.flags { addInversion(of: condition) }
        return .visitChildren
    }

    override func visit(_ node: RepeatStmtSyntax) -> SyntaxVisitorContinueKind {
        addInversion(of: node.condition)
        return .visitChildren
    }

    override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
        addInversion(of: node.condition)
        return .visitChildren
    }

    override func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
        addInversion(of: node.condition)
        return .visitChildren
    }

    override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        addBoundary(of: node)
        return .skipChildren
    }

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        addOtherName(of: node)
        return .visitChildren
    }

    override func visit(_ node: ReturnStmtSyntax) -> SyntaxVisitorContinueKind {
        addOtherResult(of: node)
        return .visitChildren
    }

    override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
        addOtherResult(of: node)
        addRemoval(of: node)
        return .visitChildren
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        if node.isForPeopleOnly { return .skipChildren }
        addOtherFunction(of: node)
        return .visitChildren
    }

    // MARK: Left as it is

    /// A text for people, whose wording is no rule.
    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        let name = node.bindings.first?.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
        return ["description", "debugDescription", "help"].contains(name) ? .skipChildren : .visitChildren
    }

    /// Constants: rules have them, but no expression may stand in their place.
    override func visit(_: EnumCaseDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_: KeyPathExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_: MacroExpansionDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    /// It depends on the machine which of its clauses is compiled.
    override func visit(_: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    /// What is given back at the end of a value is seen by no test.
    override func visit(_: DeinitializerDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}
