import CorewireCLI
import WireBase
import WireConfig
import WireHTTP

/// `corewire device`: what servers know of this device; 1 is the exit status of what was refused.
enum DeviceCommand {
    static let deeds: Deeds = [
        "device show": show,
        "device tag": tag,
        "device untag": untag,
        "device set": set,
        "device register": register,
        "device remove": remove,
    ]

    private static let path = "/v1/device"

    static func show(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            try tell(try await client.ask(.get, path), client, showing)
            return .success
        }
    }

    static func tag(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let body = JSONValue.members(["value": invocation.argument(1).map(JSONValue.string)])
            try tell(try await client.tell(.put, invocation.tagPath, body), client, showing)
            return .success
        }
    }

    static func untag(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            try tell(try await client.ask(.delete, invocation.tagPath), client, showing)
            return .success
        }
    }

    static func set(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            var change: [(key: String, value: JSONValue)] = []
            for name in ["alias", "email"] {
                guard let text = invocation.option(name) else { continue }
                change.append((name, text.isEmpty ? .null : .string(text)))
            }
            if let platform = invocation.option("token") {
                let token = try token()
                change.append(("tokens", .object([(platform, token.isEmpty ? .null : .string(token))])))
            }
            guard !change.isEmpty else {
                throw UsageError("nothing to set: give --alias, --email or --token", for: invocation.path)
            }
            let client = try RunnerClient(invocation)
            try tell(try await client.tell(.patch, path, .object(change)), client, showing)
            return .success
        }
    }

    static func register(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let answer = try await client.ask(.post, "\(path)/register", within: RunnerClient.changeLimit)
            try tell(answer, client, showing)
            return .success
        }
    }

    static func remove(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            _ = try await RunnerClient(invocation).ask(.delete, path).wellDone()
            showing.show(.members(["removed": .boolean(true)])) { "removed\n" }
            return .success
        }
    }

    // MARK: What is shown

    private static func tell(_ answer: RunnerAnswer, _ client: RunnerClient, _ showing: Showing) throws {
        let device = try answer.wellDone().json()
        guard device["alias"]?.string != nil else { throw Failure.foreign(client.socket) }
        showing.show(device) { text(device, showing.paint) }
    }

    private static func text(_ device: JSONValue, _ paint: Paint) -> String {
        var table = Table(["device", device.line("alias", upTo: 256) ?? ""])
        table.add(["id", "\(device.line("id") ?? "")"])
        table.add(["email", "\(device.line("email", upTo: 256) ?? "")"])
        let since = Showing.time(device["since"]?.integer)
        table.add(["server", "\(device.line("registration") ?? "")\(since.isEmpty ? "" : " since \(since)")"])
        table.add(["", .init(device.line("reason", upTo: 256) ?? "", .warning)])
        for token in device["tokens"]?.array ?? [] {
            table.add(["token", "\(token.line("platform") ?? "") …\(token.line("ending") ?? "")"])
        }
        for tag in device["tags"]?.array ?? [] {
            let value = tag.line("value", upTo: 256).map { ": \($0)" } ?? ""
            let kind = tag["kind"]?.string == "system" ? " (found out)" : ""
            table.add(["tag", "\(tag.line("name", upTo: 128) ?? "")\(value)\(kind)"])
        }
        return table.text(paint)
    }

    private static func token() throws -> String {
        do throws(Files.Failure) {
            let bytes = try Files.read("-", upTo: .kibibytes(16))
            return String(decoding: bytes.filter { $0 > 0x20 }, as: UTF8.self)
        } catch {
            throw Failure(message: "cannot read standard input: \(error.reason)", status: .inputOutput)
        }
    }
}

extension Invocation {
    fileprivate var tagPath: String { "/v1/device/tags/\((argument(0) ?? "").percentEncoded)" }
}
