import CorewireCLI
import WireBase
import WireConfig
import WireHTTP

/// `corewire backends metrics`, `versions`, `disable-version`, `enable-version`.
extension BackendsCommand {
    /// How many messages the runner is asked for at once.
    private static let page = 1_000

    static func metrics(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let text = invocation.option("last") ?? "20"
            guard let count = Int(text), (1...page).contains(count) else {
                throw UsageError(
                    "--last takes a whole number from 1 to \(page), not \(text.quoted)",
                    for: invocation.path
                )
            }
            let json = try await client.get("/v1/backends/metrics?limit=\(page)")
            guard let items = json["items"]?.array else { throw Failure.foreign(client.socket) }
            let last = Array(items.suffix(count))
            showing.show(.members(["items": .array(last)])) {
                guard !last.isEmpty else { return "nothing has come\n" }
                return last.map { "\(Showing.time($0["at"]?.integer))  \($0["message"]?.text() ?? "")\n" }.joined()
            }
            return .success
        }
    }

    static func versions(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let json = try await client.get("/v1/backends/versions")
            guard let versions = json["versions"]?.array else { throw Failure.foreign(client.socket) }
            showing.show(json) {
                guard !versions.isEmpty else { return "no version is known\n" }
                return text(of: versions, showing.paint)
            }
            return .success
        }
    }

    static func say(_ isDisabled: Bool, _ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let order = JSONValue.members([
                "version": invocation.argument(0).map(JSONValue.string), "disabled": .boolean(isDisabled),
                "message": isDisabled ? invocation.option("message").map(JSONValue.string) : nil,
            ])
            let json = try await client.tell(.post, "/v1/backends/versions", order).wellDone().json()
            guard json["version"]?.string != nil else { throw Failure.foreign(client.socket) }
            showing.show(json) { text(of: [json], showing.paint) }
            return .success
        }
    }

    private static func text(of versions: [JSONValue], _ paint: Paint) -> String {
        var table = Table(["version", "may run", "devices", "starts", "message"])
        for version in versions {
            let isDisabled = version["disabled"]?.boolean ?? false
            table.add([
                "\(version.line("version") ?? "")", isDisabled ? .init("no", .warning) : "yes",
                "\(version["numOfCurrentInstalls"]?.integer.map(String.init) ?? "")",
                "\(version["numOfAppLaunches"]?.integer.map(String.init) ?? "")",
                "\(version.line("disabledMessage") ?? "")",
            ])
        }
        return table.text(paint)
    }
}
