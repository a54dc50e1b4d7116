import CorewireCatalogue
import WireBase
import WireConfig
import WireRuntime

/// `corewire graph`: the services of an environment and their dependencies.
enum GraphCommand {
    static let command = Command(
        name: "graph",
        summary: "Draw the services with their order and dependencies.",
        options: ConfigFinder.options + [
            .init(
                name: "format",
                value: "format",
                help: "text, mermaid or dot. (default: text)",
                values: .words(["text", "mermaid", "dot"])
            )
        ],
        run: { invocation in
            let format = try invocation.choice("format") ?? "text"
            let validation = try ConfigFinder.validate(invocation)
            try ConfigFinder.requireValid(validation)
            let environment = try ConfigFinder.environment(invocation, validation)
            guard let validated = validation.environment(environment), let file = validation.file else {
                throw Failure(message: "\(validation.name) has no services", status: .problemsFound)
            }
            let graph = PlanGraph(
                Plan(validated, catalogue: Shipped.catalogue, services: Shipped.services, document: file.document)
            )
            switch format {
            case "mermaid": Console.print(graph.mermaid)
            case "dot": Console.print(graph.dot)
            default: Console.print(graph.text)
            }
            return .success
        }
    )
}
