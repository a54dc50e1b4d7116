import CorewireCLI
import WireBase
import WireConfig
import WireHTTP

/// `corewire downloads`: files that are fetched, from the command line; 1 is the exit status of what failed or was refused.
enum DownloadsCommand {
    static let deeds: Deeds = [
        "downloads list": list,
        "downloads add": add,
        "downloads show": show,
        "downloads pause": pause,
        "downloads resume": resume,
        "downloads cancel": cancel,
        "downloads follow": follow,
    ]

    static func list(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let state = try invocation.choice("state").map { "&state=\($0.percentEncoded)" } ?? ""
            var items: [JSONValue] = []
            var next: String?
            repeat {
                let after = next.map { "&after=\($0.percentEncoded)" } ?? ""
                let page = try await client.get("/v1/downloads?limit=1000\(state)\(after)")
                guard let found = page["downloads"]?.array else { throw Failure.foreign(client.socket) }
                items += found
                // A list that does not get on would never end.
                guard page["next"]?.string != next || next == nil else { throw Failure.foreign(client.socket) }
                next = page["next"]?.string
            } while next != nil
            showing.show(.members(["downloads": .array(items)])) { DownloadText.table(items, showing.paint) }
            return .success
        }
    }

    static func add(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            var priority: Int?
            if let given = invocation.option("priority") {
                guard let number = Int(given), (-100...100).contains(number) else {
                    throw UsageError("--priority takes -100 to 100, not \(given.quoted)", for: invocation.path)
                }
                priority = number
            }
            let authorization = try invocation.choice("authorization")
            let client = try RunnerClient(invocation)
            let wish = JSONValue.members([
                "address": .string(invocation.argument(0) ?? ""), "id": invocation.option("id").map(JSONValue.string),
                "name": invocation.option("name").map(JSONValue.string),
                "sha256": invocation.option("sha256").map(JSONValue.string),
                "priority": priority.map(JSONValue.integer),
                "authorization": authorization.map(JSONValue.string),
            ])
            let answer = try await client.tell(.post, "/v1/downloads", wish).wellDone()
            let json = try answer.json()
            guard let id = json["id"]?.string else { throw Failure.foreign(client.socket) }
            if invocation.flag("wait") {
                return try await DownloadFollower(client, id, showing, printsPath: true).follow()
            }
            showing.show(json) {
                answer.status == .created ? "\(id.shown(upTo: 200))\n" : DownloadText.line(json, showing.paint)
            }
            return .success
        }
    }

    static func show(_ invocation: Invocation) async throws -> ExitStatus {
        try await asking(invocation) { client, path in try await client.ask(.get, path) }
    }

    static func pause(_ invocation: Invocation) async throws -> ExitStatus {
        try await asking(invocation) { client, path in
            try await client.ask(.post, "\(path)/pause", within: RunnerClient.changeLimit)
        }
    }

    static func resume(_ invocation: Invocation) async throws -> ExitStatus {
        try await asking(invocation) { client, path in
            try await client.ask(.post, "\(path)/resume", within: RunnerClient.changeLimit)
        }
    }

    static func cancel(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let query = invocation.flag("with-file") ? "?file=true" : ""
            let path = invocation.downloadPath + query
            _ = try await client.ask(.delete, path, within: RunnerClient.changeLimit).wellDone()
            showing.show(.members(["removed": .boolean(true)])) { "removed\n" }
            return .success
        }
    }

    static func follow(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let client = try RunnerClient(invocation)
            let showing = try Showing(invocation)
            return try await DownloadFollower(client, invocation.argument(0) ?? "", showing, printsPath: false).follow()
        }
    }

    private static func asking(
        _ invocation: Invocation,
        _ ask: (RunnerClient, String) async throws -> RunnerAnswer
    ) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let json = try await ask(client, invocation.downloadPath).wellDone().json()
            showing.show(json) { DownloadText.whole(json, showing.paint) }
            return .success
        }
    }
}

extension Invocation {
    /// Where the API has the download the arguments name.
    fileprivate var downloadPath: String { "/v1/downloads/\((argument(0) ?? "").percentEncoded)" }
}
