import CorewireCatalogue
import WireBase
package import WireHost

/// The socket of a runner, with the way it was found.
package struct FoundSocket: Sendable {
    package let path: String
    /// Whether the user named the socket, so that no other places are suggested.
    package let isNamed: Bool
    /// Other possible places.
    package var others: [String] = []
    /// The app of the services file, if known.
    package var app: String?
}

/// Finds the socket of the runner: named, or by the app of the services file.
package struct SocketFinder {
    private let invocation: Invocation
    private let environment: Environment

    package init(_ invocation: Invocation, _ environment: Environment) {
        self.invocation = invocation
        self.environment = environment
    }

    package func find() throws -> FoundSocket {
        if let named = invocation.option("socket") ?? environment["COREWIRE_SOCKET"] {
            return FoundSocket(path: try absolute(named), isNamed: true)
        }
        do throws(HostError) { _ = try environment.instance } catch {
            throw Failure(message: "\(error)", status: .usage)
        }
        let (hints, text) = try hints()
        guard let hints, let app = hints.app ?? (hints.hasAPI ? "app" : nil) else { return try onlyOne(of: text) }
        var places = try hints.paths.map(absolute)
        if hints.isUsual || places.isEmpty {
            places += Self.folders(of: app, hints.group, environment).map { "\($0)/api.sock" }
        }
        if let off = hints.off, hints.paths.isEmpty, !hints.isUsual {
            throw Failure(
                message: "the runner of \(app.quoted) has no socket: 'api.socket' is off",
                status: .unavailable,
                help: "see \(off); set another socket with --socket"
            )
        }
        let found = places.first { SocketProbe.ask($0) == .listening } ?? places.first { FileFacts.of($0) != nil }
        var socket = FoundSocket(path: found ?? places.first ?? "", isNamed: false, others: places, app: app)
        socket.others.removeAll { $0 == socket.path }
        try Self.ignoresForeignFiles(socket)
        return socket
    }

    /// The app and the socket of the services file, with its text; nil without a file.
    private func hints() throws -> (hints: RunnerHints?, text: [UInt8]?) {
        let path: String
        do {
            path = try ConfigFinder.find(invocation)
        } catch let failure as Failure where invocation.option("config") == nil && failure.status == .noInput {
            return (nil, nil)
        }
        let source = ConfigFinder.isFromVariable(invocation) ? "COREWIRE_CONFIG" : nil
        let validation = try CommandFiles.reading(path, namedBy: source) { () throws(Fault) in
            try Validation(path: path)
        }
        return (RunnerHints(validation), validation.loaded.sources.flatMap(\.bytes))
    }

    /// The possible runtime folders of an app: of a runner of this user, and of a system service.
    package static func folders(of app: String, _ group: String?, _ environment: Environment) -> [String] {
        var folders: [String] = []
        if let own = try? HostFolders(environment, group: group ?? app, app: app) { folders.append(own.runtime.path) }
        let instance = (try? environment.instance).flatMap { $0 }.map { "@\($0)" } ?? ""
        let system = "/run/corewire/\(app)\(instance)"
        if !folders.contains(system) { folders.append(system) }
        return folders
    }

    /// The only runner on this machine, for a command without a readable file.
    ///
    /// With a broken file, that runner is used only if the text contains
    /// the app's id, so that no other product's runner is changed.
    private func onlyOne(of text: [UInt8]?) throws -> FoundSocket {
        let bases = Self.folders(of: "app", nil, environment).map { String($0.dropLast("/app".count)) }
        let apps = bases.flatMap { base in Files.names(in: base).map { (name: $0, socket: "\(base)/\($0)/api.sock") } }
            .filter { app in text.map { String(decoding: $0, as: UTF8.self).contains(app.name) } ?? true }
        let running = apps.filter { SocketProbe.ask($0.socket) == .listening }
        let why = text == nil ? "there is no services file" : "the services file cannot be parsed"
        guard let only = running.first else {
            throw Failure(
                message: "\(why), and no runner \(text == nil ? "" : "of its app ")was found",
                status: .unavailable,
                help: "set the file with --config, or the socket with --socket; start a runner with 'corewire run'"
            )
        }
        guard running.count == 1 else {
            throw Failure(
                message: "\(why), and \(running.count) runners were found",
                status: .usage,
                help:
                    "choose one with --socket: \(running.prefix(8).map { $0.socket.shown(upTo: 200) }.joined(separator: ", "))"
            )
        }
        let found = FoundSocket(path: only.socket, isNamed: false, app: only.name)
        try Self.ignoresForeignFiles(found)
        return found
    }

    /// In a folder that all users may write to, another user can impersonate a runner.
    private static func ignoresForeignFiles(_ socket: FoundSocket) throws {
        guard !socket.path.hasPrefix("/run/corewire/"), let facts = FileFacts.of(socket.path) else { return }
        let own = HostFacts.user
        guard facts.owner != own, facts.owner != 0, own != 0 else { return }
        throw Failure(
            message: "the socket \(socket.path.quoted) is owned by user \(facts.owner), not by this user, \(own)",
            status: .noPermission,
            help: "to use the socket anyway: --socket \(socket.path.shown(upTo: 200))"
        )
    }

    private func absolute(_ path: String) throws -> String {
        guard !path.isEmpty, !path.hasSuffix("/"), !path.utf8.contains(0) else {
            throw UsageError("--socket takes the path of a socket, not \(path.quoted)", for: invocation.path)
        }
        let whole = path.hasPrefix("/") ? path : "\(HostFacts.workingFolder)/\(path)"
        guard whole.utf8.count <= SocketProbe.longestPath else {
            throw Failure(
                message:
                    "the path of a socket has at most \(SocketProbe.longestPath) bytes, \(whole.quoted) has \(whole.utf8.count)",
                status: .usage
            )
        }
        return whole
    }
}
