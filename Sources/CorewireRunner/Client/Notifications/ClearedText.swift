import CorewireCLI
import WireConfig

/// What was cleared, for people: each service with each kind of what it kept.
enum ClearedText {
    static func text(_ answer: JSONValue) -> String {
        (answer["services"]?.array ?? []).map(service).joined()
    }

    private static func service(_ service: JSONValue) -> String {
        let name = service.line("service") ?? ""
        if let reason = service.line("reason", upTo: 500) {
            let help = service.line("help", upTo: 500).map { "  help: \($0)\n" } ?? ""
            return "\(name): still there: \(reason)\n\(help)"
        }
        let removed = (service["removed"]?.array ?? []).map { item in
            "  \(item.line("what") ?? ""): \(item["count"]?.integer ?? 0)\n"
        }
        return "\(name):\n\(removed.joined())"
    }
}
