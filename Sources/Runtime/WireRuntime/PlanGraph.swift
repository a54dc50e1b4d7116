/// The dependency graph of a plan.
package struct PlanGraph: Sendable {
    private let steps: [Plan.Step]

    package init(_ plan: Plan) {
        steps = plan.steps
    }

    /// One line per service, in starting order: services of the same step start together.
    package var text: String {
        let width = max("service".count, steps.map(\.name.count).max() ?? 0)
        let head = "step  service\(String(repeating: " ", count: width - "service".count))  dependencies\n"
        return head
            + steps.map { step in
                let padding = String(repeating: " ", count: width - step.name.count)
                var notes: [String] = []
                if !step.uses.isEmpty { notes.append("uses \(step.uses.joined(separator: ", "))") }
                if step.needsUser { notes.append("needs a user") }
                if step.service == nil { notes.append("not in this build") }
                if !step.isRequired { notes.append("optional") }
                let number = "\(step.depth + 1)"
                let gap = String(repeating: " ", count: max(1, "step  ".count - number.count))
                let line = "\(number)\(gap)\(step.name)\(padding)  \(notes.joined(separator: "; "))"
                return line.trimmedAtEnd + "\n"
            }.joined()
    }

    /// The graph in Mermaid syntax.
    package var mermaid: String {
        "flowchart LR\n"
            + steps.map { "    \($0.name)[\($0.name)]\($0.service == nil ? ":::absent" : "")\n" }.joined()
            + edges { "    \($0) --> \($1)\n" }
            + "    classDef absent stroke-dasharray: 4 4\n"
    }

    /// The graph in Graphviz syntax.
    package var dot: String {
        "digraph corewire {\n    rankdir=LR;\n    node [shape=box];\n"
            + steps.map { "    \"\($0.name)\"\($0.service == nil ? " [style=dashed]" : "");\n" }.joined()
            + edges { "    \"\($0)\" -> \"\($1)\";\n" }
            + "}\n"
    }

    private func edges(_ line: (String, String) -> String) -> String {
        steps.flatMap { step in step.uses.map { line(step.name, $0) } }.joined()
    }
}

extension String {
    fileprivate var trimmedAtEnd: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
