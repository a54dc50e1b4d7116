package import WireConfig

/// The explanation of a rule for users.
package struct RuleExplanation: Sendable {
    /// Its name in the services file.
    package let name: String
    package let title: String
    package let condition: String
    package let reads: String
    package let advice: String
    package let controls: [String]
    /// Whether it is on by default.
    package let isBaseline: Bool

    /// All rules of the catalogue.
    package static let all: [RuleExplanation] = SecurityRules.examples.map { name, rule in
        let card = type(of: rule).card
        return RuleExplanation(
            name: name,
            title: card.title,
            condition: card.condition,
            reads: card.reads,
            advice: card.advice,
            controls: rule.reaction.masvs.map(\.id),
            isBaseline: card.isBaseline
        )
    }

    package var text: String {
        let terms =
            isBaseline
            ? "On by default: applied in every file with 'security', unless 'baseline' is false."
            : "Off by default: applied if the file has it below security.rules."
        return """
            \(name): \(title) (\(controls.joined(separator: ", ")))

            Detected when \(condition). It looks at \(reads).

            \(advice)

            \(terms)

            """
    }

    package var json: JSONValue {
        .members([
            "rule": .string(name), "title": .string(title), "condition": .string(condition), "reads": .string(reads),
            "explanation": .string(advice), "controls": .array(controls.map(JSONValue.string)),
            "usual": .boolean(isBaseline),
        ])
    }
}
