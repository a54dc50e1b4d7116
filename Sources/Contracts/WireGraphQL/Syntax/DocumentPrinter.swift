/// Prints operations and fragments, in compact or readable form.
package struct DocumentPrinter {
    package enum Style: Sendable {
        /// One line of minimal length, for requests. Descriptions are omitted, because servers of the October 2021
        /// specification reject them.
        case compact
        /// Indented by two spaces, with descriptions.
        case pretty
    }

    private let style: Style
    private var text = ""
    private var level = 0
    private var isCompact: Bool { style == .compact }

    private init(_ style: Style) { self.style = style }

    /// The text of the operations and fragments among the definitions, in their order.
    package static func text(_ definitions: [Syntax.Definition], _ style: Style) -> String {
        var printer = Self(style)
        for definition in definitions where definition.isExecutable {
            if !printer.text.isEmpty, style == .pretty { printer.text += "\n" }
            switch definition {
            case .operation(let operation): printer.write(operation)
            case .fragment(let fragment): printer.write(fragment)
            case .schema, .type, .directive: break
            }
            if style == .pretty { printer.text += "\n" }
        }
        return printer.text
    }

    package static func text(_ document: Syntax.Document, _ style: Style) -> String {
        text(document.definitions, style)
    }

    // MARK: Definitions

    private mutating func write(_ operation: Syntax.Operation) {
        write(operation.description)
        let isShort =
            operation.kind == .query && operation.name == nil && operation.variables.isEmpty
            && operation.directives.isEmpty && (isCompact || operation.description == nil)
        if !isShort {
            text += operation.kind.rawValue
            if let name = operation.name { text += " " + name.text }
            if !operation.variables.isEmpty {
                if operation.name == nil, !isCompact { text += " " }
                write(operation.variables)
            }
            write(operation.directives)
            space()
        }
        write(operation.selections)
    }

    private mutating func write(_ fragment: Syntax.Fragment) {
        write(fragment.description)
        text += "fragment \(fragment.name.text) on \(fragment.typeCondition.text)"
        write(fragment.directives)
        space()
        write(fragment.selections)
    }

    private mutating func write(_ variables: [Syntax.Variable]) {
        text += "("
        for (index, variable) in variables.enumerated() {
            if index > 0 { text += isCompact ? "," : ", " }
            if let description = variable.description, !isCompact {
                text += ValuePrinter.quoted(description.text) + " "
            }
            text += "$" + variable.name.text + (isCompact ? ":" : ": ")
            text += Schema.TypeReference(variable.type).description
            if let value = variable.defaultValue {
                text += isCompact ? "=" : " = "
                ValuePrinter.write(value, to: &text, isCompact: isCompact)
            }
            write(variable.directives)
        }
        text += ")"
    }

    private mutating func write(_ description: Syntax.Description?) {
        guard let description, !isCompact else { return }
        let string =
            BlockString.canHold(description.text)
            ? BlockString.printed(description.text) : ValuePrinter.quoted(description.text)
        text += string + "\n"
    }

    // MARK: Selections

    private mutating func write(_ set: Syntax.SelectionSet) {
        text += "{"
        level += 1
        for (index, selection) in set.selections.enumerated() {
            breakLine(isCompact && index > 0)
            write(selection)
        }
        level -= 1
        breakLine(false)
        text += "}"
    }

    private mutating func write(_ selection: Syntax.Selection) {
        switch selection {
        case .field(let field):
            if let alias = field.alias { text += alias.text + (isCompact ? ":" : ": ") }
            text += field.name.text
            write(field.arguments)
            write(field.directives)
            guard let selections = field.selections else { return }
            space()
            write(selections)
        case .spread(let spread):
            text += "..." + spread.name.text
            write(spread.directives)
        case .inline(let fragment):
            text += "..."
            if let condition = fragment.typeCondition { text += (isCompact ? "on " : " on ") + condition.text }
            write(fragment.directives)
            space()
            write(fragment.selections)
        }
    }

    private mutating func write(_ arguments: [Syntax.Argument]) {
        guard !arguments.isEmpty else { return }
        text += "("
        for (index, argument) in arguments.enumerated() {
            if index > 0 { text += isCompact ? "," : ", " }
            text += argument.name.text + (isCompact ? ":" : ": ")
            ValuePrinter.write(argument.value, to: &text, isCompact: isCompact)
        }
        text += ")"
    }

    private mutating func write(_ directives: [Syntax.Directive]) {
        for directive in directives {
            space()
            text += "@" + directive.name.text
            write(directive.arguments)
        }
    }

    // MARK: Space

    private mutating func space() {
        if !isCompact { text += " " }
    }

    /// Starts a new line in readable form; inserts a space where two names would merge in compact form.
    private mutating func breakLine(_ isBetween: Bool) {
        if !isCompact {
            text += "\n" + String(repeating: "  ", count: level)
        } else if isBetween, let last = text.utf8.last, Lexer.continuesName(last) {
            text += " "
        }
    }
}
