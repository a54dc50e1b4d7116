import CorewireCatalogue
import CorewireCLI
import WireBase
import WireHost

/// Checks whether the socket can be created, and whether a runner listens on it.
struct SocketCheckup {
    private(set) var findings: [Finding] = []

    private static let area = "socket"

    init(_ invocation: Invocation, _ environment: Environment, _ file: FileCheckup) {
        guard let hints = file.hints, file.validated != nil || hints.app != nil else { return }
        if !hints.hasAPI {
            findings.append(
                .warning(
                    Self.area,
                    "the services file turns the local API off with 'api: false', so no command reaches its runner",
                    help: "remove 'api: false'"
                )
            )
            return
        }
        let socket: FoundSocket
        do {
            socket = try SocketFinder(invocation, environment).find()
        } catch let failure as Failure {
            findings.append(.warning(Self.area, failure.message, help: failure.help))
            return
        } catch {
            findings.append(.problem(Self.area, "\(error)"))
            return
        }
        let path = socket.path
        guard path.utf8.count <= SocketProbe.longestPath else {
            findings.append(
                .problem(
                    Self.area,
                    "\(path) has \(path.utf8.count) bytes, the maximum for a socket is \(SocketProbe.longestPath)",
                    help: "set a shorter path with 'api.socket'"
                )
            )
            return
        }
        check(SocketProbe.ask(path), path)
    }

    private mutating func check(_ answer: SocketProbe, _ path: String) {
        switch answer {
        case .listening:
            let facts = FileFacts.of(path)
            let mode = facts.map { ", mode \($0.modeText), of user \($0.owner)" } ?? ""
            findings.append(.ok(Self.area, "a runner listens on \(path)\(mode)"))
        case .missing: findings.append(.ok(Self.area, "no runner listens on \(path)"))
        case .abandoned:
            findings.append(
                .warning(
                    Self.area,
                    "\(path) is a stale socket of an earlier runner",
                    help: "no action needed: the next runner replaces it"
                )
            )
        case .noSocket:
            findings.append(
                .problem(Self.area, "\(path) is not a socket", help: "move the file, or change 'api.socket'")
            )
        case .forbidden:
            findings.append(
                .problem(
                    Self.area,
                    "\(path) does not allow this user, \(HostFacts.user)",
                    help: "run as its owner or root, or allow this user with 'api.access'"
                )
            )
        case .other(let reason): findings.append(.problem(Self.area, "\(path): \(reason)"))
        }
    }
}
